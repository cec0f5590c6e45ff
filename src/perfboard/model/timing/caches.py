# SPDX-License-Identifier: Apache-2.0
"""The caches and TLBs of a part."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from perfboard.model.sourced import Count, WithSource
from perfboard.model.tables import Size, Table, either
from perfboard.model.timing.duration import Duration, Time


class Cache(WithSource):
    """One cache; `hit` is what being found there adds to an access, and `next`, of the second,
    what the next of lines that are waited for together (`core.misses`) comes after the first.
    `stream`, of the second, is what the next line of a stream adds that is found there; 0: as
    `hit`.

    `filling`, of the first of data, is the line in a row of stores that miss from which on
    lines are no longer read before they are written; 0: they always are. `fills` says which
    way such a row goes; with `blocks` either way, where the first store to a line is to the lower
    half of one of its blocks of 32 bytes.
    """

    size: Size
    ways: Count
    line: Size
    replacement: str
    write: str = "back"
    allocate: str = "both"
    hit: Time = Field(Duration("0 cycles"))
    next: Time = Field(Duration("0 cycles"))
    stream: Time = Field(Duration("0 cycles"))
    filling: int = 0
    fills: str = "up"

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.line & (self.line - 1):
            raise ValueError(f"line is {self.line}; give a power of two")
        sets, rest = divmod(self.size, self.ways * self.line)
        if rest or not sets or sets & (sets - 1):
            raise ValueError(
                f"size {self.size} is not {self.ways} ways x {self.line} bytes a line x a power "
                "of two of sets"
            )
        return self


class _Caches(Table):
    l2: Cache | None = None

    @model_validator(mode="after")
    def _nested(self) -> Self:
        first = [cache for name, cache in self if name != "l2"]
        if self.l2 and self.l2.line < max(cache.line for cache in first):
            raise ValueError(f"l2.line is {self.l2.line}, shorter than that of the first level")
        if self.l2 and self.l2.size <= first[-1].size:
            raise ValueError(f"l2.size is {self.l2.size}; the first level holds {first[-1].size}")
        return self


class UnifiedCaches(_Caches):
    """The caches of a part whose first is of code and data alike."""

    l1: Cache

    @property
    def data(self) -> Cache:
        """The first cache that data are in."""
        return self.l1


class SplitCaches(_Caches):
    """The caches of a part that has a first of code and one of data."""

    l1i: Cache
    l1d: Cache

    @property
    def data(self) -> Cache:
        """The first cache that data are in."""
        return self.l1d


Caches = Annotated[UnifiedCaches | SplitCaches, either("l1", UnifiedCaches, SplitCaches)]


class Tlb(WithSource):
    """Translations kept; `miss` is what one costs that is not among them."""

    entries: Count
    ways: Count
    miss: Time

    @model_validator(mode="after")
    def _possible(self) -> Self:
        sets, rest = divmod(self.entries, self.ways)
        if rest or sets & (sets - 1):
            raise ValueError(
                f"entries is {self.entries}, not {self.ways} ways x a power of two of sets"
            )
        return self


class BigPages(WithSource):
    """Virtual addresses from `start` on lie in pages of `size`: the kernel's own."""

    start: int
    size: Size

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.size & (self.size - 1):
            raise ValueError(f"size is {self.size}; give a power of two")
        return self


class Tlbs(Table):
    """One of instructions, one of data, and a second after both."""

    i: Tlb
    d: Tlb
    second: Tlb | None = None
