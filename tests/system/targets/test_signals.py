# SPDX-License-Identifier: Apache-2.0
"""^C, SIGTERM and SIGHUP in the midst of each measure on this machine: nothing of it stays."""

import multiprocessing
import os
import platform
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import platformdirs
import psutil
import pytest

from perfboard.binaries.probe import architecture_of
from perfboard.cli.command import main
from perfboard.images.program.codecs import CODECS, build_codec
from perfboard.measures.base import Measure
from perfboard.measures.catalogue import all_measures
from perfboard.model.progress import SilentProgress

from ..conftest import Here, until
from .ssh_boards import dropbear, sshd

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# For what a loaded machine does in a second or two.
_PATIENCE_S = 120
# Folders that everybody has, besides that which TMPDIR names. The commands of this machine's users
# and of other tests have theirs in /tmp meanwhile.
EVERYBODYS = [Path(name) for name in ("/dev/shm", "/run", "/run/shm", "/var/tmp")]
# Those whose command the user gives. It goes on until it is ended.
COMMANDS = ("memory.application", "program", "stream.buffer", "stream.rate", "stream.write")
# The file by which one has come so far that it would leave something.
FILES = {
    "disk.dd": "file",
    "disk.files": ".perfboard-files.*",
    "memory.dd": "file",
    "network.ssh": "data",
}
# A measure that is a probe has one way to end, and these make files.
PROBES = ("file.read", "flash.read", "ipc.fifo", "memory.map", "memory.tmpfs")
MEASURES = [
    each
    for each in all_measures().values()
    if each.name in PROBES or not type(each).__module__.endswith(".probe.probes")
]


def words_of(measure: Measure) -> list[str]:
    """The command that measures it for long."""
    given = ["command=sleep 600"] if measure.name in COMMANDS else []
    if "seconds" in measure.defaults():
        given.append("seconds=60")
    return ["measure", measure.name, *(word for each in given for word in ("--with", each))]


def run(words: Sequence[str], environment: dict[str, str], printed: str) -> None:
    """A whole command in a process of its own."""
    os.setsid()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.update(environment)
    file = os.open(printed, os.O_WRONLY | os.O_CREAT, 0o600)
    for stream in (1, 2):
        os.dup2(file, stream)
    os._exit(main(words))


@pytest.fixture(scope="module", autouse=True)
def _server(probe: Path) -> None:
    """What a command imports is imported once; what is built for this machine is there before."""
    for name in CODECS:
        build_codec(name, architecture_of(platform.machine()), SilentProgress())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        forkserver.set_forkserver_preload([__name__])
        forkserver.ensure_running()


class Command:
    """A command whose files and programs lie in a folder of the test's."""

    def __init__(self, folder: Path, words: Sequence[str]) -> None:
        self._printed, self._place = folder / "printed", folder / "place"
        self._place.mkdir()
        self._before = self._elsewhere()
        environment = {
            "TMPDIR": str(self._place),
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CACHE_HOME": platformdirs.user_cache_dir(),
        }
        context = multiprocessing.get_context("forkserver")
        self._process: ForkServerProcess = context.Process(
            target=run, args=(words, environment, str(self._printed))
        )
        self._process.start()

    def __enter__(self) -> "Command":
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.join()

    @property
    def printed(self) -> str:
        return self._printed.read_text() if self._printed.exists() else ""

    def _elsewhere(self) -> set[Path]:
        found: set[Path] = set()
        for folder in EVERYBODYS:
            with suppress(OSError):
                found |= {path for path in folder.iterdir() if "perfboard" in path.name}
        return found

    def _working(self) -> set[str]:
        found = set()
        for process in self.programs():
            with suppress(psutil.Error):
                found |= {process.cwd(), str(Path(process.exe()).parent)}
        return found

    def programs(self) -> list[psutil.Process]:
        """Those that run in the test's folder, or from it, or were told of it."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.pid == self._process.pid:
                    continue
                known = (process.cwd(), process.exe(), *process.cmdline())
                if any(str(self._place) in each for each in known):
                    found.append(process)
        return found

    def reason(self) -> str:
        """The words of one that does not measure."""
        found = re.search(r"^(?:inconclusive|perfboard): (.*)", self.printed, re.MULTILINE)
        return found[1] if found else self.printed

    def begins(self, file: str) -> bool:
        """Whether it measures, and makes that file, if there is one; waits until it does."""
        deadline = time.monotonic() + _PATIENCE_S
        while self._process.is_alive():
            if self._measures(file):
                return True
            assert time.monotonic() < deadline, self.printed
            time.sleep(0.01)
        return False

    def _measures(self, file: str) -> bool:
        folders = [*self._place.iterdir()]
        if not file:
            return bool({str(each) for each in folders} & self._working())
        # What is looked at may be removed meanwhile: then it does not measure yet.
        with suppress(FileNotFoundError):
            for listed in self._place.glob("*/others"):
                folders += map(Path, listed.read_text().splitlines())
            return any(found for each in folders for found in each.rglob(file))
        return False

    def end(self, number: int) -> int | None:
        """The exit code, after that signal, which does nothing to one that has ended."""
        assert self._process.pid
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, number)
        self._process.join(120)
        return self._process.exitcode

    def leaves_nothing(self) -> None:
        """Waits until nothing is left of it on this machine."""
        # Others' commands make such folders too, and remove them.
        elsewhere = self._elsewhere() - self._before

        def left() -> list[object]:
            try:
                here = [*self._place.rglob("*")]
            except FileNotFoundError as error:
                # A folder went while it was looked at.
                return [error]
            return [*here, *filter(Path.exists, elsewhere), *self.programs()]

        deadline = time.monotonic() + _PATIENCE_S
        while left() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert left() == []


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_a_signal_leaves_nothing(tmp_path: Path, measure: Measure, number: signal.Signals) -> None:
    with Command(tmp_path, words_of(measure)) as command:
        measures = command.begins(FILES.get(measure.name, ""))
        code = command.end(number)
        command.leaves_nothing()
    if not measures and code:
        pytest.skip(f"it does not measure here: {command.reason()}")
    assert code == (130 if measures else 0), command.printed


@pytest.mark.parametrize("name", FILES)
def test_a_killed_command_leaves_nothing(tmp_path: Path, name: str) -> None:
    """But its scratch folders, which the next command sweeps."""
    with Command(tmp_path, words_of(all_measures()[name])) as command:
        measures = command.begins(FILES[name])
        code = command.end(signal.SIGKILL)
        command.leaves_nothing()
    if not measures:
        pytest.skip(f"it does not measure here: {command.reason()}")
    assert code == -signal.SIGKILL


def _working_in(folder: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            found += [process] if process.cwd().startswith(str(folder)) else []
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
@pytest.mark.parametrize("server", [sshd, dropbear])
def test_a_program_ends_with_the_command_that_measures_it(
    here: Here, server: Callable[[Here], AbstractContextManager[object]], number: signal.Signals
) -> None:
    words = ("measure", "program", "--with", "command=sleep 600", "--target", "ssh://root@board")
    with server(here):
        process = here.start(*words)
        until(lambda: [p for p in _working_in(here.place) if "sleep" in p.name()])
        process.send_signal(number)
        process.communicate()
        assert process.returncode == (130 if number == signal.SIGINT else -number)
        until(lambda: here.left_clean() and not _working_in(here.place))
