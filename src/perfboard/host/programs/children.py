# SPDX-License-Identifier: Apache-2.0
"""The programs that Perfboard has started end with it, whatever ends it."""

import itertools
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, current_thread, main_thread
from typing import IO, Any

from perfboard.host.programs.environment import environment_of_programs

# Reads which groups of processes begin and end, each by a number of ours. Only we hold its input
# open: at its end it ends those that are left.
_GUARD = """
while read -r what number group; do
    case $what in
    begins) all="$all $number:$group " ;;
    ends)
        case $all in *" $number:"*)
            rest=${all#*" $number:"}
            all="${all%%" $number:"*}${rest#* }" ;;
        esac ;;
    esac
done
for one in $all; do kill -s KILL -- "-${one#*:}"; done
"""


class _Guard:
    """A process that outlives us for a moment."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._input: IO[bytes] | None = None

    def begin(self) -> None:
        """Starts it, when it is first needed."""
        with self._lock:
            if self._input is None:
                self._input = subprocess.Popen(
                    ["/bin/sh", "-c", _GUARD],
                    cwd="/",
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    bufsize=0,
                ).stdin

    def tell(self, words: str) -> None:
        # One that somebody has ended guards nothing any more.
        if self._input is not None:
            with suppress(BrokenPipeError):
                self._input.write(f"{words}\n".encode())


_guard = _Guard()
_numbers = itertools.count()
_INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def guarded(
    command: Sequence[str], grace_s: float = 0.0, **options: Any
) -> Iterator["subprocess.Popen[Any]"]:
    """A program in a session of its own, whose group is ended by force if Perfboard ends.

    If the block raises anything, Ctrl-C too, the group is ended then: by force after `grace_s`.
    The `options` are those of `Popen`.
    """
    number = next(_numbers)
    prepare = options.pop("preexec_fn", None)

    def begin() -> None:
        # The child itself tells: we may be ended before we know that there is one.
        _guard.tell(f"begins {number} {os.getpid()}")
        if prepare is not None:
            prepare()

    options["env"] = options.get("env") or environment_of_programs()
    _guard.begin()
    process: subprocess.Popen[Any] | None = None
    try:
        with _signals_wait():
            process = subprocess.Popen(
                list(command), start_new_session=True, preexec_fn=begin, **options
            )
        yield process
    except BaseException:
        if process is not None:
            _end(process, grace_s)
        raise
    finally:
        _guard.tell(f"ends {number}")


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Has signals that would interrupt us come after the block.

    A fork with a function of ours runs hooks of Python's libraries, and what a signal raises in one
    of these is ignored: ^C would be lost.
    """
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _INTERRUPTING}
    ours = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in ours:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
        for each in came:
            signal.raise_signal(each)


def run(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    given: IO[bytes] | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Runs a program to its end, with what it printed; it ends with us.

    It reads `given`, else nothing. Without an `environment` it has ours.
    """
    with guarded(
        command,
        cwd=folder,
        env=environment,
        stdin=given or subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        output, errors = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def _end(process: "subprocess.Popen[Any]", grace_s: float) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(grace_s)
    # The leader may have gone before its children: the group is ended either way.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
