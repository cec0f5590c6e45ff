# SPDX-License-Identifier: Apache-2.0
"""The record of a sweep over a board's factors: what was tried, the best, and the advice."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from perfboard.model.record import Int64, Quantity, Record
from perfboard.model.results.base import Result
from perfboard.model.results.boot import Boot

# How a try ended. "refused" is before anything was built.
Outcome = Literal["booted", "refused", "not-built", "not-booted"]
# Its purpose: the start, one level by itself, the search, the order of the advice.
Stage = Literal["start", "alone", "together", "order"]


def in_words(levels: Mapping[str, str]) -> str:
    """A combination, by what differs from the start."""
    return " ".join(f"{factor}={level}" for factor, level in levels.items()) or "start"


class Try(Record):
    """One combination of levels that was tried."""

    # The levels that differ from the start's, by factor.
    levels: dict[str, str] = Field(default_factory=dict)
    stage: Stage
    outcome: Outcome
    # The reason why it did not boot, and the kind of that error.
    problem: str = ""
    kind: str = ""
    # The place of its boot among the run's `tried`; on a real board the first of `boots`.
    boot: Int64 | None = None
    boots: Annotated[Int64, Field(ge=1)] = 1
    # The start's boots between these: from the first, among its own, up to the second.
    beside: tuple[Int64, Int64] | None = None
    # The bytes of each part of the image, by name.
    flash: dict[str, Int64] = Field(default_factory=dict)
    # The bytes of memory that programs could not have when the board was usable, if known.
    ram: Int64 | None = None
    # The functions or information that the device loses, by factor.
    loses: dict[str, str] = Field(default_factory=dict)
    # The reason why it may not be the best, or "".
    excluded_because: str = ""

    @property
    def flash_bytes(self) -> int:
        """The bytes of all parts of the image."""
        return sum(self.flash.values())


class FileLines(Record):
    """Lines to take out of and to put into one place of the user's own build.

    `words` say what they stand for, where they are not what a user writes down.
    """

    where: str
    words: str = ""
    remove: tuple[str, ...] = ()
    add: tuple[str, ...] = ()


class Advice(Record):
    """A change that the best combination makes, in the order in which they are to be made.

    `alone_s` is what it saves by itself, from the start; `saving_s` what it saves on top of the
    changes before it, of which `phases` are the parts. These add up to what the best saves; None
    where it only works together with the next one. On a real board `low_s` to `high_s` is the
    interval of the saving's mean. `flash` and `ram` are the bytes that it takes more.
    """

    factor: str
    title: str
    old: str
    new: str
    alone_s: Quantity | None = None
    saving_s: Quantity | None = None
    low_s: Quantity | None = None
    high_s: Quantity | None = None
    phases: dict[str, Quantity] = Field(default_factory=dict)
    flash: Int64 = 0
    ram: Int64 | None = None
    loses: str = ""
    lines: tuple[FileLines, ...] = ()


class TuneLimit(Record):
    """The least that the boot could take: bytes to be read, and instructions to be run.

    `read_s` is that of a byte, `instruction_s` that of an instruction; `words` say what the
    four come from.
    """

    read_bytes: Quantity
    read_s: Quantity
    instructions: Int64
    instruction_s: Quantity
    words: str

    @property
    def seconds(self) -> float:
        """The time of both, one after the other."""
        return self.read_bytes * self.read_s + self.instructions * self.instruction_s


class PublishedChange(Record):
    """The effect of a technique on the real board, as `model.published.Technique` has it."""

    title: str
    metric: str
    before: Quantity
    after: Quantity
    factor: str | None = None
    old: str | None = None
    new: str | None = None
    kernel_size: Int64 | None = None
    differs: str = ""
    source: str


class PublishedTuneBoot(Record):
    """A boot of the real board, as `model.published.PublishedBoot` has it."""

    title: str
    factor: str
    level: str
    size: Int64 | None = None
    times: dict[str, Quantity]


class PublishedRate(Record):
    """The read bandwidth of the real board's flash in B/s, at a level of the factor `flash`.

    `size` is the bytes of the blocks, where that was published. `use` is that of
    `model.published.PublishedValue`.
    """

    level: str
    size: Int64 | None = None
    value: Quantity
    use: str
    source: str


class TuneResult(Result):
    """A sweep: `titles` by factor, the start's levels, the limits, all tries.

    `max_flash` and `max_ram` are in bytes, `keep` fixes levels, `allow` are those that may be
    in the best though they lose something. `best` is the place of the best of `tries`.
    `combinations` is how many there are of the levels that may be in the best and showed a
    saving, and `exhaustive` says that all were tried; else no boot is expected to take less
    than `bound_s`, the sum of what each phase took where it took least, of the boots whose
    levels may be in the best. `tried` are the boots of all tries, which name theirs by its place.
    """

    kind: Literal["tune"] = "tune"
    titles: dict[str, str]
    start: dict[str, str]
    max_flash: Int64 | None = None
    max_ram: Int64 | None = None
    keep: dict[str, str] = Field(default_factory=dict)
    allow: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    tries: tuple[Try, ...] = ()
    best: Int64 | None = None
    combinations: Int64 = 0
    exhaustive: bool = False
    bound_s: Quantity | None = None
    advice: tuple[Advice, ...] = ()
    limit: TuneLimit | None = None
    published: tuple[PublishedChange, ...] = ()
    published_boots: tuple[PublishedTuneBoot, ...] = ()
    published_rates: tuple[PublishedRate, ...] = ()
    tried: tuple[Boot, ...] = ()

    @model_validator(mode="after")
    def _places_are_there(self) -> Self:
        if self.best is not None and not 0 <= self.best < len(self.tries):
            raise ValueError(f"best is {self.best}, which is no try")
        for number, one in enumerate(self.tries):
            if one.boot is not None and not 0 <= one.boot < len(self.tried):
                raise ValueError(f"tries[{number}].boot is {one.boot}, which is no boot")
        return self


RESULT = TuneResult
