# SPDX-License-Identifier: Apache-2.0
"""A board's timing model as the scope reads it."""

from collections.abc import Iterator, Mapping

from perfboard.boards.parameters import lines
from perfboard.model.board.disk import Disk, DiskTransfer
from perfboard.model.board.flash import Flash
from perfboard.model.board.virtual import FlashBoard, Machine, VirtualBoard
from perfboard.model.timing.part import Access, Timing

# The factor that decides what drives the clock, at the level where the model does.
TIMED: Mapping[str, str] = {"detail": "timed"}
_SECOND = 10**15
# Classes of instructions (native/scope/decode/decode.h) whose cost is that of each register.
_OF_SEVERAL = (
    *("load_pair", "load_multiple", "load_multiple_pc", "store_pair", "store_multiple"),
    *("fp_load", "fp_store"),
)
_WORD = 4
_MOST_REQUEST = 1 << 20


def timing_text(
    board: VirtualBoard, levels: Mapping[str, str], card: Disk | None = None
) -> str | None:
    """The scope's input for the model at those levels; None if it needs none.

    A line a parameter or a row of a table, as native/scope/timing/reader.h describes. If
    instructions are counted, several cores take turns by them. `card` is what the bootloader
    copies the kernel from, if that is no flash.
    """
    if board.timing is None or not TIMED.items() <= levels.items():
        return None if board.machine.cpus == 1 else _counting(board.machine)
    timing = board.timing.at({f: levels[f] for f in board.timing.factors})
    read: tuple[str, ...] = ()
    if card and card.transfer and isinstance(board, FlashBoard):
        more = ("root",) if levels.get("root") == "initramfs" else ()
        read = tuple(_card(board.flash, card.transfer, ("kernel", "initrd", *more)))
    return "".join(f"{line}\n" for line in _lines(board, timing, read))


def _counting(machine: Machine) -> str:
    """A part whose instructions take a cycle each, as long as the emulator counts for one."""
    # An instruction of several registers is one as well.
    costs = "".join(f"cost {name} 0 1000 1000\n" for name in _OF_SEVERAL)
    hz = 10**9 >> machine.icount_shift
    return f"isa {machine.architecture.isa}\nclock.hz {hz}\ncost alu 1000 1000\n{costs}counted\n"


def _lines(board: VirtualBoard, timing: Timing, card: tuple[str, ...]) -> Iterator[str]:
    hz = timing.clock.hz
    kernels = list(_kernels(board))
    if not kernels:
        # Nothing would ever turn the data cache on.
        memory = timing.memory.model_copy(update={"uncached": None})
        timing = timing.model_copy(update={"memory": memory})
    yield f"isa {board.machine.architecture.isa}"
    yield from lines(timing)
    if timing.memory.uncached is not None:
        yield from kernels
    if timing.pairing:
        for older, youngers in timing.pairing.older.items():
            for younger in youngers:
                yield f"pair {older} {younger}"
    for costs in timing.costs:
        for name, cycles in costs.cycles.items():
            yield " ".join(["cost", name, *(str(_thousandths(cost)) for cost in cycles)])
        for name, count in costs.busy.items():
            yield f"busy {name} {_thousandths(count)}"
        for name, count in costs.accumulate.items():
            yield f"accumulate {name} {_thousandths(count)}"
    if card:
        yield from card
    elif timing.flash and isinstance(board, FlashBoard):
        for number, bank in enumerate(board.flash.banks):
            place = f"bank{number} {bank.base:#x} {bank.size} flash"
            yield f"region {place} {_access(timing.flash, hz)}"
    for name, region in timing.regions.items():
        place = f"{name} {region.base:#x} {region.size} {region.type}"
        yield f"region {place} {_access(region, hz)}"
    byte = round(timing.uart.bits * _SECOND / board.console.baud)
    yield f"uart {board.console.data_register:#x} {byte}"


def _kernels(board: VirtualBoard) -> Iterator[str]:
    """The places of a kernel's first instruction: in its region of flash, or in the copy."""
    if isinstance(board, FlashBoard):
        lies = board.flash.kernel
        yield f"kernel {board.flash.banks[lies.bank].base + lies.offset:#x} {lies.size}"
        yield f"kernel {board.image.bootloader.kernel_address:#x} {_WORD}"


def _card(flash: Flash, transfer: DiskTransfer, names: tuple[str, ...]) -> Iterator[str]:
    """Those regions, which a bootloader copies, as reads of a card by requests."""
    word = _WORD * _SECOND // transfer.rate
    first = word + round(transfer.overhead_ms * _SECOND / 1000)
    for name in names:
        if (region := flash.regions().get(name)) is not None:
            place = f"{flash.banks[region.bank].base + region.offset:#x} {region.size}"
            times = f"{first} {word} {_WORD} {transfer.request or _MOST_REQUEST}"
            yield f"region card-{name} {place} card uncached {times}"


def _access(access: Access, hz: int) -> str:
    times = f"{access.first.femtoseconds(hz)} {access.next.femtoseconds(hz)}"
    fill = f" {access.fill.femtoseconds(hz)}" if access.fill else ""
    return f"{access.caching} {times} {access.width} {access.page}{fill}"


def _thousandths(cycles: float) -> int:
    return round(cycles * 1000)
