# SPDX-License-Identifier: Apache-2.0
"""A virtual board: an emulator whose clock counts instructions, or is driven by a model."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Event

from perfboard.analysis.boot.medium import with_medium_found
from perfboard.analysis.boot.reading.ending import until_usable
from perfboard.analysis.boot.record import boot_record
from perfboard.analysis.verify.rows import checked_ranges
from perfboard.binaries.probe import find_binary
from perfboard.boards.loader import load_board
from perfboard.boards.margins import margins_of
from perfboard.factors.choose import choose
from perfboard.host.files.scratch import scratch_folder
from perfboard.images.hwcap import hwcap_options
from perfboard.images.image import Image, build_image
from perfboard.images.network import build_scope, far_end, has_own_card
from perfboard.images.variant import Variant
from perfboard.instruments.base import InEmulator, Instrument
from perfboard.instruments.emulator_console import ConsoleRecorder
from perfboard.instruments.scope import Scope, WatchedMark
from perfboard.instruments.together import prepared
from perfboard.model.board.virtual import DiskBoard, FlashBoard, VirtualBoard
from perfboard.model.errors import TargetError, UsageError, defects
from perfboard.model.progress import Progress
from perfboard.model.results.boot import Boot
from perfboard.model.run import BoardSummary, Evidence, FirmwareTime
from perfboard.model.target import command
from perfboard.model.timed_as import TimedAs
from perfboard.model.timing.lacks import Lacks
from perfboard.model.timing.part import fingerprint
from perfboard.targets.base import Target
from perfboard.targets.console.shell import ConsoleShell
from perfboard.targets.virtual.emulator import emulator_version, started
from perfboard.targets.virtual.guest_memory import memory_in_use
from perfboard.targets.virtual.preloaded import PreloadedShell, preload_disk, preload_flash
from perfboard.targets.virtual.watch import BoardWatch

SCHEME = "virtual"
# With -icount, QEMU keeps another translation of a block for every count of instructions that a
# timer has cut it short at. It begins anew when they fill this, in MiB, else its 1 GiB.
_TRANSLATED_MIB = 256
# U-Boot moves to the end of the memory, with 16 MiB of heap before it: not onto the disk.
_LOADERS = 64 << 20
# An interface on a hub without other ports: it has a link, and no one answers.
_CARD = ("-netdev", "hubport,id=net0,hubid=0", "-device", "virtio-net-device,netdev=net0")
# A kernel that prints goes on with a line sooner.
_QUIET_S = 1.0
FORM = "virtual:BOARD"


class Emulation:
    """A virtual board: how the emulator is set up to be it, whatever it boots."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.board = variant.board
        self.timed = variant.timed

    @property
    def symbols(self) -> Mapping[str, int]:
        """The addresses of its kernel's functions, where it has a kernel."""
        return {}

    @property
    def evidence(self) -> Evidence:
        """The evidence of its numbers."""
        return Evidence.TIMED if self.timed else Evidence.COUNTED

    @property
    def instruction_ns(self) -> int:
        """The time that the emulator itself counts for an instruction, in ns."""
        return 1 if self.timed else 1 << self.board.machine.icount_shift

    def scope(
        self,
        plugin: Path,
        marks: Sequence[WatchedMark],
        *,
        beats: bool = False,
        usage: tuple[int, int] | None = None,
        screen: bool = False,
        picture: bool = False,
        answer: Callable[[str], str] | None = None,
        pages: Path | None = None,
        authority: Path | None = None,
        beyond: bool = False,
    ) -> Scope:
        """The scope for one boot; it must be there if the board is timed, or has a card of ours."""
        return Scope(
            plugin,
            marks,
            self.board.console.data_register,
            self.variant.timing,
            beats=beats,
            usage=usage,
            screen=screen,
            picture=_frame(self.board) if picture else None,
            network=far_end(self.board.network, self.symbols, self.timed),
            answer=answer,
            pages=pages,
            authority=authority,
            beyond=beyond,
        )

    def summary(self) -> BoardSummary:
        """The board in the words of a run."""
        board, timing = self.board, self.board.timing
        timed_as = None
        if timing is not None and self.timed:
            margins = margins_of(board)
            timed_as = TimedAs(
                model=fingerprint(timing),
                part=f"{timing.core.name} at {timing.clock.hz / 1e6:g} MHz",
                margin_source=margins.source,
                margins=margins.margins,
                checked=checked_ranges(timing.published),
                left_out={
                    metric: table.reason for table in timing.left_out for metric in table.metrics
                },
            )
        firmware = {"firmware": found} if (found := self._firmware()) else {}
        return BoardSummary(
            name=board.name,
            title=board.title,
            description=board.description,
            facts=board.facts,
            console_baud=board.console.baud,
            timed_as=timed_as,
            **firmware,
        )

    def _firmware(self) -> FirmwareTime | None:
        """The firmware of a board whose real one reads a card or eMMC before the bootloader."""
        if not isinstance(self.board, FlashBoard) or not (self.board.medium or self.board.firmware):
            return None
        if (known := self.board.firmware) is None:
            return FirmwareTime()
        return FirmwareTime(
            seconds=known.duration,
            spread_s=known.spread,
            includes=known.includes,
            source=known.source,
        )

    @property
    def lacks(self) -> Lacks | None:
        """The instructions and features that the part lacks, and the board's programs may use."""
        return self.board.timing.lacks if self.board.timing else None

    def notes(self) -> tuple[str, ...]:
        """Notes for the reader on the clock and the programs."""
        timing, notes = self.board.timing, []
        cores = self.board.machine.cpus
        if timing is not None and self.timed and timing.core.cores > cores:
            timed = "one is timed" if cores == 1 else f"{cores} are timed"
            notes.append(f"The part has {timing.core.cores} cores, of which {timed}.")
        lacks = self.lacks
        if lacks is not None and lacks.built_in:
            notes.append(
                "The board's programs have instructions that the part lacks "
                f"({lacks.instructions}): built for the real board, they would have others."
            )
        if lacks is not None and lacks.hwcaps and not hwcap_options(self.board):
            notes.append(
                "The kernel is the user's own, and tells programs that the processor has what the "
                f"part lacks: {', '.join(lacks.hwcaps)}. A program may choose its code by that."
            )
        return tuple(notes)

    def machine(self, ram: int) -> list[str]:
        """The emulator's command line without what it boots, with `ram` bytes of memory.

        The clock of the guest and its real-time clock are made of the count of
        instructions, and what a model adds; nothing random or timed by the host reaches it.
        """
        machine = self.board.machine
        return [
            machine.emulator,
            *("-M", machine.type, "-cpu", machine.cpu, "-m", f"{ram // 1024}k"),
            *("-icount", f"shift={self.instruction_ns.bit_length() - 1},sleep=off"),
            *("-accel", f"tcg,tb-size={_TRANSLATED_MIB}"),
            *("-rtc", "base=2010-01-01,clock=vm"),
            *(("-smp", str(machine.cpus)) if machine.cpus > 1 else ()),
            *("-display", "none", "-no-reboot", "-no-user-config", "-nodefaults"),
            *("-global", "virtio-mmio.ioeventfd=off"),
            *(() if has_own_card(self.board.network) else _CARD),
        ]

    @contextmanager
    def running(
        self,
        command: Sequence[str],
        instruments: Sequence[Instrument],
        artifacts: Path,
        console: ConsoleRecorder | None = None,
    ) -> Iterator[BoardWatch]:
        """The board that `command` emulates, let go from reset, and ended with the context.

        The bytes that `console` reads and the instruments' files go to the folder `artifacts`.
        Raises TargetError where the emulator does not start.
        """
        console = console or ConsoleRecorder()
        instruments = [console, *instruments]
        with prepared(instruments, artifacts) as together:
            attached = [each.attachment() for each in instruments if isinstance(each, InEmulator)]
            command = [*command, *(word for each in attached for word in each.arguments)]
            descriptors = [number for each in attached for number in each.descriptors]
            with started(command, descriptors, artifacts) as emulator:
                emulator.connect()
                together.start()
                emulator.resume()
                scope = next((each for each in instruments if isinstance(each, Scope)), None)
                yield BoardWatch(self.board, together, console, emulator, scope)


class VirtualTarget(Emulation):
    """Boots one image on one virtual board."""

    def __init__(self, variant: Variant, image: Image) -> None:
        """`image` is what `build_image` makes of `variant`."""
        super().__init__(variant)
        self._image = image

    @property
    def symbols(self) -> Mapping[str, int]:
        return self._image.symbols

    def command(self) -> list[str]:
        """The emulator's command line, without instruments."""
        board, image = self.board, self._image
        ram, disk = board.machine.ram, []
        if image.root is not None:
            # It lies after the memory that the kernel is given.
            ram += image.disk_size
            path = str(image.root).replace(",", ",,")
            disk = ["-device", f"loader,file={path},addr={board.machine.ram_end:#x},force-raw=on"]
        if isinstance(board, DiskBoard):
            kernel = ("-kernel", str(image.kernel_file), "-append", image.arguments)
            return [*self.machine(ram), *kernel, *disk]
        command = [*self.machine(ram + (_LOADERS if disk else 0)), *disk]
        for unit, bank in enumerate(image.banks):
            path = str(bank).replace(",", ",,")
            command += [
                "-drive",
                f"if=pflash,unit={unit},format=raw,snapshot=on,file={path}",
            ]
        return [*command, *(("-dtb", str(image.tree)) if image.tree else ())]

    def boot(
        self,
        instruments: Sequence[Instrument],
        artifacts: Path,
        seen: Callable[[str], None],
        cancelled: Event,
    ) -> Boot:
        """See `targets.base.Bootable`. Without a scope among the instruments it has no marks."""
        return self.boot_and_memory(instruments, artifacts, seen, cancelled)[0]

    def boot_and_memory(
        self,
        instruments: Sequence[Instrument],
        artifacts: Path,
        seen: Callable[[str], None],
        cancelled: Event,
    ) -> tuple[Boot, int | None]:
        """As `boot`, with the memory in use when the board was usable; None if not known."""
        with self.running(self.command(), instruments, artifacts) as watch:
            seconds = watch.until_usable(seen, cancelled)
            ram = None
            # A board that switches itself off once it was usable has booted all the same.
            with suppress(TargetError):
                ram = memory_in_use(watch.emulator, self.board, self._image.symbols, artifacts)
            watch.end()
        files = artifacts / "scope.jsonl", artifacts / "console.log"
        scope, console = files[0].read_text() if files[0].exists() else "", files[1].read_bytes()
        found = [each.findings() for each in instruments]
        with defects("making the record of a boot from its recordings"):
            if scope:
                scope, console = until_usable(scope, console, self.board.boot.usable)
                files[0].write_text(scope)
                files[1].write_bytes(console)
            record = boot_record(
                scope,
                console,
                self.board.boot.usable,
                self.instruction_ns,
                seconds,
                [mark for each in found if each.clock == "virtual" for mark in each.marks],
            )
        if self._image.medium_wait_ms:
            record = with_medium_found(record, round(self._image.medium_wait_ms * 1e6))
        return record, ram


def _frame(board: VirtualBoard) -> tuple[int, int] | None:
    """The address and the bytes of the visible pixels of the board's framebuffer, of 16 bits."""
    if not isinstance(board, FlashBoard) or board.framebuffer is None:
        return None
    frame = board.framebuffer
    return frame.address, 2 * frame.width * frame.height


def _await_prompt(watch: BoardWatch, limit_s: float, started: bool) -> None:
    """Returns when U-Boot has started the kernel, and then an unfinished line has come.

    `started`: there is no U-Boot, so that all output is the kernel's.

    A key would stop U-Boot; and of a line that is typed while the kernel sets its UART up, the
    emulator's keeps the first 16 bytes and takes none any more. If no prompt
    comes after the kernel has been started, returns all the same at the end of the time.
    """
    output = b""
    last = time.monotonic()
    deadline = last + limit_s
    while not (started and output[-1:] not in b"\n" and time.monotonic() - last > _QUIET_S):
        if time.monotonic() > deadline:
            if started:
                return
            raise TargetError(
                "hang",
                f"The bootloader has not started the kernel within {limit_s:.0f} s of host time. "
                "If the board is only slow, raise boot.limit_s in the board file.",
                output[-2000:].decode(errors="replace"),
            )
        data = watch.read(0.2)
        last = time.monotonic() if data else last
        output = (output + data)[-1 << 16 :]
        if not started and b"Starting kernel ..." in output:
            started, output = True, output.rpartition(b"Starting kernel ...")[2]


@contextmanager
def connect(
    text: str, progress: Progress, artifacts: Path | None, factors: Mapping[str, str]
) -> Iterator[Target]:
    _, _, name = text.partition(":")
    if not name:
        raise UsageError(f'"{text}" names no board; it is written {FORM}, as in virtual:verdex.')
    variant = choose(load_board(name), factors)
    board = variant.board
    if variant.recipe.root.debian:
        raise UsageError(
            "root=debian asks for a login, and a target needs a shell; "
            f"`{command('study', 'boot', '--board', name, '--set', 'root=debian')}` boots it, and "
            f"`{command('try', name, '--', 'COMMAND')}` runs Debian's programs"
        )
    tools: dict[str, str] = {board.machine.emulator: emulator_version(board.machine.emulator)}
    image = build_image(variant, progress)
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_folder())
        architecture = board.machine.architecture
        probe = find_binary(architecture.probe, progress).read_bytes()
        preloaded = scratch / "preloaded.bin"
        place, on_disk = None, image.root is not None
        if image.root is not None:
            place = preload_disk(image.disk_size, image.root, probe, preloaded)
            image = replace(image, root=preloaded if place is not None else image.root)
        elif isinstance(board, FlashBoard):
            place = preload_flash(board, image.banks[1], probe, preloaded)
            image = replace(
                image, banks=(image.banks[0], image.banks[1] if place is None else preloaded)
            )
        virtual = VirtualTarget(variant, image)
        instruments = []
        if virtual.timed or has_own_card(board.network):
            instruments = [virtual.scope(build_scope(board, progress), ())]
        artifacts = artifacts or scratch / "artifacts"
        artifacts.mkdir(parents=True, exist_ok=True)
        watch = stack.enter_context(virtual.running(virtual.command(), instruments, artifacts))
        shell = ConsoleShell(watch)
        with progress.step(f"booting {board.name}", 1):
            silent = variant.recipe.direct or isinstance(board, DiskBoard)
            _await_prompt(watch, board.boot.limit_s, silent)
            shell.attach(board.boot.limit_s)
        yield Target(
            name=text,
            evidence=virtual.evidence,
            shell=shell if place is None else PreloadedShell(shell, probe, place, on_disk),
            notes=(*image.notes, *virtual.notes()),
            board=virtual.summary(),
            factors=variant.levels,
            tools=tools,
            image=image.hashes,
            packages=image.packages,
            probe=architecture.probe,
        )
        watch.end()
