# SPDX-License-Identifier: Apache-2.0
"""Boots, as a run has them."""

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from perfboard.model.record import Int64, Record, without_unset
from perfboard.model.results.base import Result, count_words

# "scope", "console", "kernel-log", "command", or another instrument's name.
InstrumentName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")]


class Mark(Record):
    """A named instant. `t_ns` counts on `clock`: from reset, or from the boot's first mark.

    `clock` is that of the board that is emulated, of a machine that saw it, of its kernel, or of a
    logic analyser.
    `precision_ns` is how far the instant may be from the truth;
    `instructions` counts those executed since reset, where that is known. A mark that is only
    bounded has `from_ns` and `to_ns`, between which it was; None: there is no bound.
    """

    name: str
    t_ns: Int64
    clock: Literal["virtual", "host", "kernel", "capture"] = "virtual"
    source: InstrumentName
    precision_ns: Int64 = 0
    instructions: Int64 | None = None
    from_ns: Int64 | None = None
    to_ns: Int64 | None = None

    @model_serializer(mode="wrap")
    def _bounded(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unset(self, handler(self), "from_ns", "to_ns")

    @property
    def bounded(self) -> bool:
        """Whether it is only bounded: its instant is not known."""
        return not self.model_fields_set.isdisjoint(("from_ns", "to_ns"))

    @property
    def earliest_ns(self) -> int:
        """The earliest instant that it may have been at."""
        return (self.from_ns or 0) if self.bounded else self.t_ns - self.precision_ns

    @property
    def latest_ns(self) -> int | None:
        """The latest instant that it may have been at; None: there is no bound."""
        return self.to_ns if self.bounded else self.t_ns + self.precision_ns


class Span(Record):
    """A recorded stretch of time inside a boot: an initcall, a driver probe, a service's start.

    `start_ns` is None where the log gives a duration only. `driver` was probed for the device
    `name`, if the kernel names it. `most_ns` is the most that it may have lasted, if neither its
    start nor its end has a time of its own; `duration_ns` is the least then.
    """

    kind: Literal["initcall", "probe", "service"]
    name: str
    driver: str | None = None
    start_ns: Int64 | None
    duration_ns: Int64
    returned: Int64
    most_ns: Int64 | None = None

    @model_serializer(mode="wrap")
    def _bounded(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unset(self, handler(self), "most_ns")


class Wait(Record):
    """A stretch of time that a boot's console tells of: a wait, or bytes that a loader read.

    `name` says what for, as in `analysis/boot/reading/waits.py`; `size` is in bytes.
    """

    kind: Literal["wait", "read"]
    name: str
    start_ns: Int64
    duration_ns: Int64
    size: Int64 | None = None


IDLE_TASK = "swapper"


class ProcessTime(Record):
    """Processor time of one process over a boot.

    IDLE_TASK is the kernel's own first task: it starts the kernel, and then runs when
    nothing else does.
    """

    name: str
    time_ns: Int64
    instructions: Int64


class Stretch(Record):
    """A stretch that a core worked, most of it for one process."""

    process: str
    start_ns: Int64
    duration_ns: Int64


class CoreTime(Record):
    """One of several cores over a boot: how long it did not idle, and when."""

    core: int
    busy_ns: Int64
    instructions: Int64
    stretches: tuple[Stretch, ...] = ()


class Boot(Record):
    """One boot: its marks in order of time, and what the instruments saw.

    `untimed` names initcalls and driver probes that the log has without a usable time, `unfinished`
    initcalls that never returned. `notes` say in sentences what was not as usual. `counters`
    are the timing model's at the last mark, by the scope's names (docs/boards/scope.md).
    `kernel_bytes` is how many bytes were on the console from the kernel's first mark until init.
    `counted` are the timing model's counters at marks that bound phases, and `printed` the bytes
    on the console before each, by mark. Counters with an `ns` are those of that instant, the last
    before their mark. `unpacked_bytes` is the kernel's size, and `console_baud`
    the console's rate in bit/s, as the kernel prints them. `last_ns` is the last that a saved log
    shows of a boot that does not come to be usable in it. `cores` are those of a virtual board with
    several.
    """

    marks: tuple[Mark, ...]
    spans: tuple[Span, ...] = ()
    untimed: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    processes: tuple[ProcessTime, ...] = ()
    counters: dict[str, int] = Field(default_factory=dict)
    kernel_bytes: Int64 | None = None
    counted: dict[str, dict[str, int]] = Field(default_factory=dict)
    printed: dict[str, Int64] = Field(default_factory=dict)
    unpacked_bytes: Int64 | None = None
    console_baud: Int64 | None = None
    waits: tuple[Wait, ...] = ()
    cores: tuple[CoreTime, ...] = ()
    host_seconds: float | None = None
    last_ns: Int64 | None = None

    @model_serializer(mode="wrap")
    def _of_log(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unset(self, handler(self), "last_ns", "cores")

    @property
    def whole_counters(self) -> dict[str, int]:
        """The counters, if they are of nine tenths of the boot at least: else none."""
        usable = self.mark("usable")
        at_ns = self.counted.get("usable", {}).get("ns")
        late = usable is not None and at_ns is not None and at_ns * 10 < usable.t_ns * 9
        return {} if late else self.counters

    @property
    def counted_by_core(self) -> bool:
        """Whether its cores' instructions alone were counted, so that no clock tells its times."""
        return bool(self.cores) and "cycles_fs" not in self.counters

    def mark(self, name: str) -> Mark | None:
        """The first mark of that name, or None."""
        return next((mark for mark in self.marks if mark.name == name), None)


class BootResult(Result):
    """Boots of one image, in their order: those that the run's metrics are of."""

    kind: Literal["boot"] = "boot"
    boots: Annotated[tuple[Boot, ...], Field(min_length=1)]

    @property
    def summary(self) -> str:
        return count_words(len(self.boots), "boot", "boots")


RESULT = BootResult
