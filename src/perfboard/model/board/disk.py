# SPDX-License-Identifier: Apache-2.0
"""A board's disk: what it holds, what it takes in time, and who says so."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from perfboard.model.sourced import WithSource
from perfboard.model.tables import HeldSize, Offset, Size, Table

_PAGE = 4096
Milliseconds = Annotated[float, Field(ge=0, le=60_000, strict=False)]

_Rate = Annotated[int, Field(ge=1000, le=10**12)]


class DiskTransfer(WithSource):
    """To and from the medium: bytes a second, and ms that each request takes besides.

    `ahead` is how many bytes the disk itself reads on after a request. `write_rate` is that of
    writing, None where it is as fast as reading; `write_ms` is what each write takes besides the
    overhead, as flash does that is programmed. `request` is the most bytes that a bootloader asks
    for at once; None: 1 MiB.
    """

    rate: _Rate
    overhead_ms: Milliseconds = 0.0
    ahead: Offset = 0
    write_rate: _Rate | None = None
    write_ms: Milliseconds = 0.0
    request: Annotated[int, Field(ge=512, le=1 << 20)] | None = None

    @model_validator(mode="after")
    def _power(self) -> Self:
        if self.request is not None and self.request & (self.request - 1):
            raise ValueError(f"request is {self.request}; give a power of two")
        return self


class Seek(WithSource):
    """ms to the next track, over a third of the disk (the average), over all of it.

    `capacity` is that of the whole disk in bytes; the board has its first part.
    """

    track_ms: Milliseconds
    average_ms: Milliseconds
    full_ms: Milliseconds
    capacity: Size

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.track_ms <= self.average_ms <= self.full_ms:
            raise ValueError(
                f"track_ms {self.track_ms}, average_ms {self.average_ms} and full_ms "
                f"{self.full_ms} are not in the order of the distance"
            )
        return self


class Rotation(WithSource):
    """Revolutions a minute."""

    rpm: Annotated[int, Field(ge=60, le=100_000)]


class Ready(WithSource):
    """ms from the start of its driver until it is there: spinning up, or found by USB."""

    after_ms: Milliseconds


class Disk(Table):
    """A disk of `size` bytes; without its other tables it answers at once.

    `data` is its size for programs that are tried, which do not boot from it; None: `size`.
    """

    size: HeldSize
    data: HeldSize | None = None
    transfer: DiskTransfer | None = None
    seek: Seek | None = None
    rotation: Rotation | None = None
    ready: Ready | None = None

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for name, size in (("size", self.size), ("data", self.trial_size)):
            if size % _PAGE:
                raise ValueError(f"{name} is {size}; give a multiple of {_PAGE} bytes")
            if self.seek and self.seek.capacity < size:
                raise ValueError(f"seek.capacity is {self.seek.capacity}, less than {name}, {size}")
        if (self.seek or self.rotation) and self.transfer is None:
            raise ValueError("seek and rotation need transfer, which says how long a track is")
        return self

    @property
    def trial_size(self) -> int:
        """Its size in bytes for programs that are tried."""
        return self.size if self.data is None else self.data


class Medium(Table):
    """The medium that a board of flash chips boots from in truth: a card, or eMMC."""

    card: Disk | None = None
    emmc: Disk | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.card is None) == (self.emmc is None):
            raise ValueError("give one of medium.card and medium.emmc")
        return self

    @property
    def name(self) -> str:
        """Its kind: "card" or "emmc"."""
        return "card" if self.card else "emmc"

    @property
    def disk(self) -> Disk:
        """The one that it is."""
        for disk in (self.card, self.emmc):
            if disk is not None:
                return disk
        raise ValueError("a medium is a card or an emmc")
