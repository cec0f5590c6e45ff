# SPDX-License-Identifier: Apache-2.0
"""The costs of a named part: instructions, caches, memory and devices, each with its source."""

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from perfboard.model.published import PublishedValue
from perfboard.model.sourced import Count, WithSource
from perfboard.model.tables import KernelOption, Size, Table, merged
from perfboard.model.timing.caches import BigPages, Caches, Tlbs
from perfboard.model.timing.duration import LONGEST_FS, Duration, Time
from perfboard.model.timing.lacks import Lacks

# The classes that the scope's decoders tell apart (native/scope/decode/decode.h).
CLASSES = (
    *("nop", "alu", "alu_register", "shift", "shift_register", "bits", "set", "scan", "exchange"),
    *("multiply", "multiply_half", "multiply_long", "multiply_add_twice"),
    *("multiply_wide", "multiply_high", "divide", "divide_long"),
    *("load", "load_narrow", "load_pc", "load_pair", "load_multiple", "load_multiple_pc"),
    *("load_alu", "modify", "pop"),
    *("store", "store_pair", "store_multiple", "push", "stack"),
    *("branch", "branch_indirect", "call", "return"),
    *("fp_move", "fp_add", "fp_multiply", "fp_multiply_double"),
    *("fp_multiply_add", "fp_multiply_add_double", "fp_divide", "fp_divide_double"),
    *("fp_square_root", "fp_convert", "fp_control", "fp_function", "fp_load", "fp_store"),
    *("simd", "simd_wide", "simd_logic", "simd_logic_wide"),
    *("simd_multiply", "simd_multiply_wide", "simd_float", "simd_float_wide"),
    *("simd_float_multiply_add", "simd_float_multiply_add_wide", "aes", "aes_mix"),
    *("sha", "sha_xor", "sha_round"),
    *("string", "string_move", "string_store", "string_compare"),
    *("coprocessor", "clock_read", "barrier", "system"),
)
# The scope takes at most this many regions, flash banks among them, all below this address.
_MOST_REGIONS = 16
_ADDRESSES = 1 << 35
# The keys of tables that do not change a time.
_WORDS = ("source", "kind", "advice", "lacks")
# The classes whose cost every part states; another may have that of the class it is like.
NEEDED = (
    *("alu", "shift", "multiply", "divide", "load", "store"),
    *("branch", "branch_indirect", "call", "return"),
    *("fp_add", "fp_multiply", "fp_divide", "fp_load", "fp_store", "clock_read", "system"),
)


def _class_name(value: object) -> object:
    if value not in CLASSES:
        raise ValueError(f'there is no class "{value}"; there are: {", ".join(CLASSES)}')
    return value


Class = Annotated[str, BeforeValidator(_class_name)]
Cycles = Annotated[float, Field(ge=0, le=100_000, strict=False)]
Key = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,30}$")]


class PartClock(WithSource):
    """The frequency of the core."""

    hz: Annotated[int, Field(gt=0)]


class Core(WithSource):
    """The pipeline: how many instructions it begins in a cycle.

    `early` is how much longer an address or a shift waits for its register than a sum does.
    `stored` is how much later than others a store needs the registers that it stores, and
    `multiplied` how much longer than a sum a product waits for its factors. `unforwarded` is how
    much later than what computes with it a store, or a move to the core's registers, gets a
    register of the floating-point unit. With `carries`, a block of code also waits for results of
    the blocks before.
    `indexed` is added to an instruction of x86 whose address has an index, or two registers.
    With `factor`, a product of x86 by a constant takes so long and a cycle for each of the
    constant's bits, at least 3.
    `prefix` is the time to decode each prefix of x86, unless the instruction before takes as
    much longer than a cycle, and `escape` the same for the 0F of an opcode, but a jump's.
    `preloads` is how many lines preload instructions may have on their way; with 0 such an
    instruction does nothing. `misses` is how many loads may wait for their lines at once, if
    none needs another's value. With `stores_alone`, no stream goes on while a line is read for
    a store, and the core also waits for the line that leaves L2 for it. `cores` is how many the
    part has.
    """

    name: Annotated[str, Field(min_length=1)]
    issue: int = 1
    early: Cycles = 0
    stored: Cycles = 0
    multiplied: Cycles = 0
    unforwarded: Cycles = 0
    carries: bool = False
    indexed: Cycles = 0
    factor: Cycles = 0
    prefix: Cycles = 0
    escape: Cycles = 0
    preloads: int = 0
    misses: int = 1
    stores_alone: bool = False
    cores: Count = 1


class LeftOut(Table):
    """Metrics that the model is known not to give, for that `reason`: no margin covers them."""

    metrics: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[a-z0-9._-]+$")], ...],
        Field(min_length=1, strict=False),
    ]
    reason: Annotated[str, Field(min_length=10, max_length=300, pattern=r"^[^\x00-\x1f]*$")]


class Pairing(WithSource):
    """Which class, as the older, may begin in one cycle with which others."""

    older: dict[Class, Annotated[tuple[Class, ...], Field(strict=False)]]


class Costs(WithSource):
    """Cycles by class: for how many it blocks issue, after how many its result is there.

    The first counts for each register that is transferred; a third, where there is one,
    comes on top once. A string instruction takes the second alone, and where it is repeated the
    third and the first for each element. `busy` is the cycles from the start of one instruction
    of these classes to the next one's; the other classes go on. `accumulate` is the cycles from
    the start of an instruction until another of these classes may add a product to its result.
    """

    cycles: dict[
        Class, Annotated[tuple[Cycles, ...], Field(min_length=2, max_length=3, strict=False)]
    ]
    busy: dict[Class, Cycles] = Field(default_factory=dict)
    accumulate: dict[Class, Cycles] = Field(default_factory=dict)


class Branch(WithSource):
    """Prediction of branches, and the cycles that it adds.

    `penalty` is a misprediction's, `taken` a taken branch's that was predicted, `direct`
    a taken branch's to a constant place that the table does not hold. `returns` is how
    many return addresses are kept; `indirect` whether the table predicts the others. `targets`
    is of how many branches to a constant place the first instructions at the target are
    kept, so that they cost nothing when predicted. With `tight`, a loop of one or two
    instructions is mispredicted at each turn. `fetch` is how many bytes are fetched a cycle, while
    the core waits too, which hides as much of `taken`; 0: nothing is hidden. `returned` is a
    return's that the stack of return addresses predicted (`taken` where it is not given), `loaded`
    a misprediction's where the target comes from memory (`penalty` where it is not given).
    The predictor "global" chooses its counter by the place and the last `history` conditional
    branches; it keeps the last target of `indirects` branches to a register's value, and has no
    use for `direct`.
    """

    predictor: str
    entries: int
    penalty: Cycles
    taken: Cycles
    direct: Cycles
    returns: int
    indirect: bool
    targets: int = 0
    history: int = 0
    indirects: int = 0
    tight: bool = False
    fetch: int = 0
    returned: Cycles | None = None
    loaded: Cycles | None = None

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.predictor == "btb2" and (not self.entries or self.entries & (self.entries - 1)):
            raise ValueError(f"entries is {self.entries}; give a power of two")
        if self.predictor == "global" and not self.entries:
            raise ValueError('entries is 0; the predictor "global" needs some')
        if self.predictor == "global" and self.indirect and not self.indirects:
            raise ValueError("indirects is 0; with indirect = true it needs some")
        return self


class Memory(WithSource):
    """A line from memory at random, the next of a stream, and one written.

    `bus` is how long a line that is read keeps writes from the memory. `buffer` is how many
    writes wait before the core does, `streams` how many streams are followed at once, and
    `ahead` how many lines of one are fetched before they are asked for. A stream is the next line
    up each time or, with `stride`, a constant number of lines up or down, at most `stride`; the
    lines of all streams come one after the other. Stores that no cache takes leave with others
    to their line, or, with `word`, one by one in that time. With `store`, those of
    one or two registers leave the core one by one, each in that time, and go to their line then.
    `together` is from one to the next of lines that loads wait for at once (`core.misses`), whose
    pages the TLB has; else these come as those of a stream do.
    With `ordered`, a line is read after the writes that wait, not before them.
    With `uncached`, a bootloader runs without the data cache: until the kernel runs, the core
    waits that long for each access to memory.
    """

    latency: Time
    stream: Time
    write: Time
    bus: Time = Field(Duration("0 cycles"))
    word: Time | None = None
    store: Time | None = None
    uncached: Time | None = None
    together: Time | None = None
    buffer: int
    streams: int
    ahead: int = 1
    stride: int = 0
    ordered: bool = False


class PartChange(WithSource):
    """The work of the part or its own kernel at a change of the address space, which ours lacks.

    With `caches` it writes the data cache back and empties the first caches, whose tags are
    virtual; with `tlbs` the TLBs, with `predictor` the branch predictor. `fixed` is the cycles of
    each change, `line` of its loop for each line that the data cache has room for, `dirty` for
    each that is written back, besides the writing.
    """

    caches: bool = False
    tlbs: bool = False
    predictor: bool = False
    fixed: Cycles = 0
    line: Cycles = 0
    dirty: Cycles = 0


class Access(WithSource):
    """The cost of accesses to memory that is not like the rest, such as flash.

    An access of `width` bytes takes `first`, and `next` where the one before it was in
    the same `page` bytes. With `caching` "code" only instructions are cached. With `fill`, a
    line comes into a cache in that time, as a burst, whatever accesses take. `advice` is the
    change to the real board that has this effect.
    """

    caching: Literal["uncached", "code", "cached"]
    first: Time
    next: Time
    width: Literal[1, 2, 4, 8, 16]
    page: Literal[4, 8, 16, 32, 64, 128, 256, 512, 1024]
    fill: Time | None = None
    advice: Annotated[str, Field(max_length=1000, pattern=r"^[^\x00-\x1f]*$")] = ""


class MemoryRegion(Access):
    """A stretch of physical addresses with a cost of its own, which lies in one memory."""

    base: Annotated[int, Field(ge=0)]
    size: Size
    type: Literal["flash", "ram", "device"]


class Ports(WithSource):
    """The time of an access to a port of x86, besides its instruction."""

    access: Time


class Uart(WithSource):
    """The console's transmitter: bits a byte takes on the line, and bytes that may wait."""

    bits: Annotated[int, Field(ge=7, le=12)] = 10
    fifo: int


class Distribution(WithSource):
    """The options that the kernel of the board's own distribution has otherwise than Debian's."""

    options: Annotated[dict[KernelOption, Literal["y", "n"]], Field(min_length=1)]


class Timing(Table):
    """The timing model of a board; `part` names the file that its processor comes from.

    `factors` are what a study can vary of it: by factor and level, the default first,
    the tables that are otherwise at that level.
    """

    part: str
    clock: PartClock
    core: Core
    lacks: Lacks | None = None
    left_out: Annotated[tuple[LeftOut, ...], Field(strict=False)] = ()
    pairing: Pairing | None = None
    costs: Annotated[tuple[Costs, ...], Field(min_length=1, strict=False)]
    branch: Branch
    caches: Caches
    tlbs: Tlbs
    big_pages: BigPages | None = None
    memory: Memory
    change: PartChange | None = None
    # The board's flash banks; without it, they are as fast as memory.
    flash: Access | None = None
    regions: dict[Key, MemoryRegion] = Field(default_factory=dict)
    ports: Ports | None = None
    uart: Uart
    factors: dict[Key, dict[Key, dict[str, Any]]] = Field(default_factory=dict)
    # The published figures of the kernel's work were measured with it.
    distribution: Distribution | None = None
    published: Annotated[tuple[PublishedValue, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = [name for costs in self.costs for name in costs.cycles]
        twice = sorted({name for name in given if given.count(name) > 1})
        if twice:
            raise ValueError(f"costs gives {', '.join(twice)} twice")
        missing = [name for name in NEEDED if name not in given]
        if missing:
            raise ValueError(f"costs lacks {', '.join(missing)}")
        for one, other in (("simd", "simd_wide"), ("simd_wide", "simd")):
            if one in given and other not in given:
                raise ValueError(f"costs lacks {other}, which goes with {one}")
        if (self.core.issue == 2) != (self.pairing is not None):
            raise ValueError("pairing goes with core.issue = 2, and with no other")
        for place, time in _times(self):
            if time.femtoseconds(self.clock.hz) > LONGEST_FS:
                raise ValueError(f"{place} is {time}, which is longer than 10 ms")
        random = self.memory.latency
        sooner = [("memory.stream", self.memory.stream, "a line at random, memory.latency")]
        if self.caches.l2:
            sooner.append(("caches.l2.hit", self.caches.l2.hit, "memory beyond it, memory.latency"))
        for place, time, what in sooner:
            if time.femtoseconds(self.clock.hz) > random.femtoseconds(self.clock.hz):
                raise ValueError(f"{place} is {time}, longer than that of {what}: {random}")
        return self

    def check_regions(self, banks: Sequence[tuple[int, int]]) -> None:
        """Raises ValueError where regions overlap, also with the flash banks, or are too many.

        `banks` are their addresses and sizes in bytes; they count where `flash` is.
        """
        placed = [(r.base, r.size, f"regions.{name}") for name, r in self.regions.items()]
        if self.flash:
            placed += [(base, size, f"flash bank {i}") for i, (base, size) in enumerate(banks)]
        if len(placed) > _MOST_REGIONS:
            raise ValueError(f"there are {len(placed)} regions; give at most {_MOST_REGIONS}")
        placed.sort()
        for base, size, name in placed:
            if base + size > _ADDRESSES:
                raise ValueError(f"{name} ends beyond {_ADDRESSES:#x}")
        for (base, size, name), (start, _, other) in itertools.pairwise(placed):
            if start < base + size:
                raise ValueError(f"{name} and {other} overlap")

    def at(self, levels: Mapping[str, str]) -> "Timing":
        """The model at those levels of its factors. Raises ValidationError."""
        table = self.model_dump(mode="json")
        for factor, level in levels.items():
            table = merged(table, self.factors[factor][level])
        return Timing.model_validate(table)


def fingerprint(timing: Timing) -> str:
    """The SHA-256 of the model's parameters, in hex: equal for models that give equal times.

    Sources and published figures are words on the model, and not in it.
    """
    words = {"part", "distribution", "published", "left_out"}
    table = timing.model_dump(mode="json", exclude=words)
    return hashlib.sha256(json.dumps(_plain(table), sort_keys=True).encode()).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key not in _WORDS}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _times(table: BaseModel, within: str = "") -> Iterator[tuple[str, Duration]]:
    """The times of a table and those in it, each with its place."""
    for key, value in table:
        items = value.items() if isinstance(value, Mapping) else [("", value)]
        for name, item in items:
            place = ".".join(part for part in (within, key, name) if part)
            if isinstance(item, Duration):
                yield place, item
            elif isinstance(item, BaseModel):
                yield from _times(item, place)
