# SPDX-License-Identifier: Apache-2.0
"""A virtual board as the device, and the far end of its network as the sender, which is exact.

The board boots in a thread of its own. Between trials it asks at its far end what is next, with its
counters (native/far_end/stream.h), and stands still until the study answers.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Queue
from threading import Event, Thread

from perfboard.analysis.packets.counters import SCRIPT, Counters, read_counters
from perfboard.analysis.raw_files import raw_files
from perfboard.bench.lab import Lab
from perfboard.bench.talk.ends import EchoedRow, Ends, Lines, PortRow, ReadyRow
from perfboard.boards.loader import LoadedBoard
from perfboard.factors.choose import choose
from perfboard.host.files.scratch import scratch_folder
from perfboard.images.network import BOARD, FAR_END, FAR_END_PORT, LINK_UP
from perfboard.images.program.base import ProgramJob, TrialBase, check_job
from perfboard.images.variant import Variant
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.rows import read_row
from perfboard.model.target import virtual_target
from perfboard.targets.virtual.program import TrialTarget

_LIMIT_S = 3600.0
_MTU = 1500
# In a trial's root file system (native/probe/run/run_root.c).
_PROBE = "/perfboard/probe"
_BOARD = f"""\
{LINK_UP}\
mkfifo lines
{_PROBE} echo {BOARD} < lines > echo &
exec 3> lines
answer=more
while [ "$answer" = more ]; do
    echo >&3
    {{
        echo ASK
        head -n 1 echo
        tail -n 1 echo
        {SCRIPT.strip()}
        {_PROBE} queues 2> /dev/null
    }} > text
    answer=$(nc {FAR_END} {FAR_END_PORT} < text)
done
"""


class _BoardTalk:
    """The board's questions, and the study's answers: each in its thread, in turn."""

    def __init__(self) -> None:
        self._questions: Queue[str | None] = Queue()
        self._answers: Queue[str] = Queue()
        # The board's last words: how the trial went, and its counters.
        self.outcome, self.text = "", ""

    def answer(self, question: str) -> str:
        """The study's answer, for the thread of the board."""
        self._questions.put(question)
        return self._answers.get()

    def over(self) -> None:
        """The board asks no more."""
        self._questions.put(None)

    def listen(self) -> None:
        """Waits until the board asks. Raises TargetError where it has ended."""
        question = self._questions.get()
        if question is None:
            raise TargetError("lost", "The board has ended before the measurement had.")
        self.outcome, _, self.text = question.partition("\n")

    def say(self, answer: str) -> None:
        """Lets the board go on."""
        self._answers.put(answer)


class _Sender:
    """A Channel to the generator at the far end: a line is a trial, its outcome the answer."""

    def __init__(self, talk: _BoardTalk, protocol: str, port: str) -> None:
        self._talk, self._kind = talk, f"{protocol} {port}"
        self._output = ReadyRow(row="ready", mtu=_MTU).line()

    def write(self, data: bytes) -> None:
        self._talk.say(f"trial {self._kind} {data.decode().strip()}")
        self._talk.listen()
        self._output += f"{self._talk.outcome}\n"

    def read(self, timeout_s: float) -> bytes:
        output, self._output = self._output, ""
        return output.encode()

    def close(self) -> None:
        """See `Channel`."""


class _EchoProgram:
    """A Channel to the echo program on the board: what it had said when the board asked."""

    def __init__(self, talk: _BoardTalk) -> None:
        self._talk, self._line = talk, 0

    def write(self, data: bytes) -> None:
        """See `Channel`."""

    def read(self, timeout_s: float) -> bytes:
        printed = self._talk.text.splitlines()
        lines = [line for line in printed if read_row(line, PortRow, EchoedRow)]
        # The port comes first, and then the last count.
        line, self._line = self._line, 1
        if line >= len(lines):
            raise TargetError("lost", "The echo program has not begun on the board.")
        return f"{lines[line]}\n".encode()

    def close(self) -> None:
        """See `Channel`."""


@dataclass(frozen=True)
class VirtualEnd:
    """The board as a device, or its far end as a sender; see `End`."""

    name: str
    talk: _BoardTalk
    notes: tuple[str, ...] = ()
    sends: bool = False

    def counters(self) -> Counters:
        """All that the board counted when it asked; of a far end nothing."""
        return Counters() if self.sends else read_counters(raw_files(self.talk.text))

    @contextmanager
    def program(self, *words: str) -> Iterator[Lines]:
        if words[0] == "packets":
            yield Lines(_Sender(self.talk, words[1], words[3]), self.name)
        else:
            yield Lines(_EchoProgram(self.talk), self.name)


def with_own_card(loaded: LoadedBoard, factors: Mapping[str, str]) -> Variant:
    """The board with a network card of ours. Raises UsageError if it has none."""
    network = loaded.board.network
    if network is None:
        raise UsageError(
            f"board {loaded.board.name} has no network: give its file a table [network] "
            "(docs/boards/network.md)"
        )
    if factors.get("network") == "instant":
        raise UsageError("--set network=instant: nobody answers the emulator's own card")
    # A board may come with the emulator's card, as few of its boots have a use for ours.
    if network.link == "instant" and factors.get("network", "board") == "board":
        factors = {**factors, "network": "parallel"}
    return choose(loaded, factors)


@contextmanager
def booted(variant: Variant, lab: Lab, artifacts: Path) -> Iterator[tuple[Ends, TrialBase]]:
    """The board and its far end, booted and at its first question; it ends with the context."""
    board, talk, cancelled = variant.board, _BoardTalk(), Event()
    plugin = lab.scope(board, lab.progress)
    with scratch_folder() as folder:
        script = folder / "board.sh"
        script.write_text(_BOARD)
        job = ProgramJob(command=("sh", script.name), files=(script,), limit_s=_LIMIT_S)
        check_job(job, board)
        base = lab.prepare(variant, job, lab.progress)
        target = TrialTarget(variant, base, job, talk.answer)
        failures: list[Exception] = []
        run = _runner(lab, target, plugin, artifacts, cancelled, talk, failures)
        thread = Thread(target=run, name="board")
        thread.start()
        try:
            _listen(talk, failures)
            notes = (*base.notes, *target.notes())
            device = VirtualEnd(virtual_target(board.name), talk, notes)
            sender = replace(device, name="the far end", notes=(), sends=True)
            yield Ends(device, (sender,), BOARD), base
        finally:
            talk.say("end")
            cancelled.set()
            thread.join()


def _listen(talk: _BoardTalk, failures: list[Exception]) -> None:
    try:
        talk.listen()
    except TargetError:
        raise (
            failures[0]
            if failures
            else TargetError("lost", "The board has ended before it asked at its far end.")
        ) from None


def _runner(
    lab: Lab,
    target: TrialTarget,
    plugin: Path,
    artifacts: Path,
    cancelled: Event,
    talk: _BoardTalk,
    failures: list[Exception],
) -> Callable[[], None]:
    def run() -> None:
        try:
            lab.try_out(target, plugin, artifacts, lambda now_ns, began_ns: None, cancelled)
        except Exception as error:
            failures.append(error)
        finally:
            talk.over()

    return run
