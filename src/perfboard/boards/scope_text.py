# SPDX-License-Identifier: Apache-2.0
"""A board's timing model as the scope reads it."""

from collections.abc import Iterator, Mapping

from perfboard.model.board.virtual import FlashBoard, VirtualBoard
from perfboard.model.timing.caches import Cache
from perfboard.model.timing.part import Access, Timing

# The factor that decides what drives the clock, at the level where the model does.
TIMED: Mapping[str, str] = {"detail": "timed"}
_SECOND = 10**15
_WORD = 4


def timing_text(board: VirtualBoard, levels: Mapping[str, str]) -> str | None:
    """The scope's input for the model at those levels; None if nothing is timed.

    A line an item: native/scope/timing/reader.h says which there are. Times are whole
    femtoseconds, cycles are thousandths.
    """
    if board.timing is None or not TIMED.items() <= levels.items():
        return None
    timing = board.timing.at({f: levels[f] for f in board.timing.factors})
    return "".join(f"{line}\n" for line in _lines(board, timing))


def _lines(board: VirtualBoard, timing: Timing) -> Iterator[str]:
    hz = timing.clock.hz
    yield f"isa {board.machine.isa}"
    yield f"clock {hz}"
    yield f"issue {timing.core.issue}"
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
    yield f"early {_thousandths(timing.core.early)}"
    yield f"decode {_thousandths(timing.core.prefix)} {_thousandths(timing.core.escape)}"
    branch = timing.branch
    yield (
        f"branch {_thousandths(branch.penalty)} {branch.entries} {branch.predictor} "
        f"taken {_thousandths(branch.taken)} direct {_thousandths(branch.direct)} "
        f"returns {branch.returns} targets {branch.targets}"
        f"{' indirect' if branch.indirect else ''}{' tight' if branch.tight else ''}"
        f"{f' fetch {branch.fetch}' if branch.fetch else ''}"
        f"{'' if branch.returned is None else f' returned {_thousandths(branch.returned)}'}"
        f"{'' if branch.loaded is None else f' loaded {_thousandths(branch.loaded)}'}"
    )
    for level, cache in timing.caches:
        if cache is not None:
            yield _cache(level, cache, hz)
    for name, tlb in (("i", timing.tlbs.i), ("d", timing.tlbs.d), ("2", timing.tlbs.second)):
        if tlb is not None:
            yield f"tlb {name} {tlb.entries} {tlb.ways} {tlb.miss.femtoseconds(hz)}"
    if timing.big_pages:
        yield f"pages {timing.big_pages.start:#x} {timing.big_pages.size}"
    memory = timing.memory
    times = " ".join(
        str(time.femtoseconds(hz)) for time in (memory.latency, memory.stream, memory.write)
    )
    word = f" {memory.word.femtoseconds(hz)}" if memory.word else ""
    yield f"memory {times} {memory.buffer}{word}"
    yield f"streams {memory.streams} {memory.ahead} {memory.stride}"
    store = f" {memory.store.femtoseconds(hz)}" if memory.store else ""
    yield f"bus {memory.bus.femtoseconds(hz)}{store}"
    if memory.uncached is not None and isinstance(board, FlashBoard):
        # The places of a kernel's first instruction: in its region, or in the copy.
        lies = board.flash.kernel
        flash = f"{board.flash.banks[lies.bank].base + lies.offset:#x} {lies.size}"
        copied = f"{board.image.bootloader.kernel_address:#x} {_WORD}"
        yield f"uncached {memory.uncached.femtoseconds(hz)} {flash} {copied}"
    if timing.caches.data.filling:
        yield f"filling {timing.caches.data.filling} {timing.caches.data.fills}"
    yield f"preloads {timing.core.preloads}"
    yield f"misses {timing.core.misses}{' alone' if timing.core.stores_alone else ''}"
    if timing.flash and isinstance(board, FlashBoard):
        for number, bank in enumerate(board.flash.banks):
            place = f"bank{number} {bank.base:#x} {bank.size} flash"
            yield f"region {place} {_access(timing.flash, hz)}"
    for name, region in timing.regions.items():
        place = f"{name} {region.base:#x} {region.size} {region.type}"
        yield f"region {place} {_access(region, hz)}"
    if timing.ports:
        yield f"port {round(timing.ports.access.femtoseconds(hz) * hz * 1000 / _SECOND)}"
    byte = round(timing.uart.bits * _SECOND / board.console.baud)
    yield f"uart {board.console.data_register:#x} {byte} {timing.uart.fifo}"


def _cache(level: str, cache: Cache, hz: int) -> str:
    after = cache.next.femtoseconds(hz)
    return (
        f"cache {level} {cache.size} {cache.ways} {cache.line} {cache.replacement} "
        f"write={cache.write} allocate={cache.allocate} hit={cache.hit.femtoseconds(hz)}"
        f"{f' next={after}' if after else ''}"
    )


def _access(access: Access, hz: int) -> str:
    times = f"{access.first.femtoseconds(hz)} {access.next.femtoseconds(hz)}"
    fill = f" {access.fill.femtoseconds(hz)}" if access.fill else ""
    return f"{access.caching} {times} {access.width} {access.page}{fill}"


def _thousandths(cycles: float) -> int:
    return round(cycles * 1000)
