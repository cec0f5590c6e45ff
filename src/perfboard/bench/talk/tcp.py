# SPDX-License-Identifier: Apache-2.0
"""A client and a server over TCP, one of them on the board (native/probe/commands/tcp.c).

The probe serves on a live target, and another one here connects. This machine as a target has both
ends. On a virtual board the probe connects to the far end of its network, which serves the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from perfboard.analysis.packets.counters import STAT, Counters, read_counters
from perfboard.analysis.raw_files import raw_files, raw_script
from perfboard.bench.fit import check_network
from perfboard.bench.job import OWN_FOLDER, Job, NotMeasurable
from perfboard.bench.talk.address import address_of, check_own
from perfboard.bench.talk.ends import Lines, LiveEnd, PortRow, prepared
from perfboard.images.network import FAR_END, FAR_END_PORT, LINK_UP
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.progress import SilentProgress
from perfboard.probes.session import NAME
from perfboard.targets.base import Target
from perfboard.targets.pipe import local, ssh

_TO, _FROM = "to the board", "from the board"
# How much longer than its time a transfer may take.
_PATIENCE_S = 60.0
# A film is written to a disk, not to memory.
_DISK_OR_REFUSED = """\
[ "$place" != . ] || { "$PROBE" say refused what=place why="the board has no disk"; exit 0; }
"""
# A film is sent for so long beyond its time, or until its taker has all of it. It prints a row for
# the film, one for what is written, and one for the page cache.
_MORE_S, _FILM_ROWS = 10.0, 3
# Between transfers on a virtual board.
_COUNT = raw_script([STAT])


@dataclass(frozen=True)
class TcpReply:
    """A client's line once it has done what it was asked for, and the board's counters around."""

    line: str
    before: Counters
    after: Counters


class Talk(Protocol):
    """A client and a server, one of them on the board."""

    @property
    def ways(self) -> Mapping[str, str]:
        """The way of the client's words "send" and "receive", as seen from the board."""

    @property
    def in_memory(self) -> bool:
        """Whether both ends are on this machine."""

    def ask(self, lines: Sequence[str], seconds: float) -> list[TcpReply]:
        """Has the client do these, one after the other, each of which takes about `seconds`.

        A line is what, streams, and how much. Raises NotMeasurable.
        """

    def film(self, shape: str, seconds: float) -> str:
        """Has the board take a film from the other end while it writes another to its disk.

        `shape` are the probe's words BYTES FRAMES RATE of either (native/probe/commands/media.c),
        and what it printed is given. Raises NotMeasurable.
        """


class _ClientHere:
    """A client here, and its server on the target."""

    ways: Mapping[str, str] = MappingProxyType({"send": _TO, "receive": _FROM})

    def __init__(self, client: Lines, here: LiveEnd, device: LiveEnd, address: str) -> None:
        """`here` has the client, and the device is at that address."""
        self._client, self._here = client, here
        self._device, self._address = device, address
        self.in_memory = here is device

    def ask(self, lines: Sequence[str], seconds: float) -> list[TcpReply]:
        replies = []
        for line in lines:
            before = self._device.counters()
            self._client.write(line)
            answer = self._client.read(seconds + _PATIENCE_S)
            replies.append(TcpReply(answer, before, self._device.counters()))
        return replies

    def film(self, shape: str, seconds: float) -> str:
        folder = self._device.folder
        if self._device.target.shell.run(f"{folder}/{NAME} disk-place {folder}").status:
            raise NotMeasurable("its files are on no disk; set TMPDIR to a folder on one")
        words = f"1 1 {folder} {shape} buffered 0 at {self._address}"
        try:
            with self._device.program("media", *words.split()) as board:
                port = board.row(PortRow).port
                with self._here.program("tcp", self._address, str(port)) as sender:
                    # The board has closed its end by then.
                    sender.write(f"send 1 {round((seconds + _MORE_S) * 1000)}")
                    lines = [board.read(seconds + _PATIENCE_S) for _ in range(_FILM_ROWS)]
        except TargetError as error:
            raise NotMeasurable(f"the film was not taken to its end: {error}") from error
        return "\n".join(lines)


class _ClientThere:
    """A client on a virtual board, which is booted for some lines; its far end serves."""

    ways: Mapping[str, str] = MappingProxyType({"receive": _TO, "send": _FROM})
    in_memory = False

    def __init__(self, run: Callable[[Job], str]) -> None:
        self._run = run

    def ask(self, lines: Sequence[str], seconds: float) -> list[TcpReply]:
        client = f'"$PROBE" tcp {FAR_END} {FAR_END_PORT}'
        asked = "".join(f"{_COUNT}echo {line} | {client} || exit 1\n" for line in lines)
        # A kernel's first connection fills a table of 256 KiB with random numbers (Linux 6.1,
        # net/ipv4/inet_hashtables.c): 5 ms of a Cortex-A7.
        warm = f'echo "ping 1 1" | {client} || exit 1\n'
        output = self._run(Job(f"{LINK_UP}{warm}{asked}{_COUNT}"))
        # The client's row comes after the counts.
        parts = [part for part in raw_files(output) if part[1]]
        if len(parts) != len(lines) + 1:
            raise NotMeasurable("the board printed no counts of its processor")
        counters = [read_counters([part]) for part in parts]
        answers = [printed[-1] for _, printed in parts]
        return list(map(TcpReply, answers, counters, counters[1:]))

    def film(self, shape: str, seconds: float) -> str:
        place = OWN_FOLDER
        film = f"from {FAR_END} {FAR_END_PORT}"
        words = f'"$PROBE" media 1 1 "$place" {shape} buffered 0 {film}'
        frame, frames, _ = map(int, shape.split())
        return self._run(
            Job(
                f"{place.script}{_DISK_OR_REFUSED}{LINK_UP}{words} || exit 1\n",
                packages=place.packages,
                features=place.features,
                disk=frame * frames,
                limit_s=seconds + _PATIENCE_S,
            )
        )


def talk_from(board: VirtualBoard, run: Callable[[Job], str]) -> Talk:
    """A virtual board as the client. Raises NotMeasurable for one without a network."""
    check_network(board)
    return _ClientThere(run)


@contextmanager
def talk_to(target: Target) -> Iterator[Talk]:
    """A live target as the server. Raises NotMeasurable where there is no way to it."""
    if target.name.partition(":")[0] not in (local.SCHEME, ssh.SCHEME):
        raise NotMeasurable("only a target that is reached over a network has an address to ask")
    progress = SilentProgress()
    with ExitStack() as stack:
        try:
            # A connection that ssh makes there as well may go anywhere.
            address = address_of(target.name, "", True)
            check_own(target, address)
            device = stack.enter_context(prepared(target, progress))
            server = stack.enter_context(device.program("tcp-serve", address))
            here = device
            if target.name != local.SCHEME:
                own = stack.enter_context(local.connect(local.SCHEME, progress, None, {}))
                here = stack.enter_context(prepared(own, progress))
        except UsageError as error:
            raise NotMeasurable(str(error)) from error
        try:
            port = server.row(PortRow).port
            client = stack.enter_context(here.program("tcp", address, str(port)))
            yield _ClientHere(client, here, device, address)
        except TargetError as error:
            if error.kind not in ("hang", "garbage"):
                raise
            raise NotMeasurable(str(error)) from error
