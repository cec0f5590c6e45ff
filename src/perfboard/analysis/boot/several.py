# SPDX-License-Identifier: Apache-2.0
"""Several boots in one recording: where the board, or another kernel on it, began again."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.analysis.boot.clocks import BootClock, first_ns, has_words, zero_of
from perfboard.analysis.boot.phases import RESTART
from perfboard.analysis.boot.reading.kernel_log import KernelLog
from perfboard.analysis.boot.reading.loaders import Event
from perfboard.analysis.boot.reading.records import RECORD
from perfboard.model.results.boot import Mark

# A processor's first words after a reset: no loader starts what prints them.
_FIRST_STAGE = re.compile(
    r"U-Boot [ST]PL|BL[12]: v|DDR (?:Version )?V|Raspberry Pi Bootcode|RPi: BOOTSYS|bootblock"
    r"|BOOT0|:BL[1:]|Preloader|AT91Bootstrap"
)
_SLACK_NS = 100_000_000


@dataclass(frozen=True)
class Start:
    """The start of a later boot: its mark, and the reason to see one, in words."""

    mark: Mark
    because: str


@dataclass(frozen=True)
class _KernelClock:
    """A clock, when its kernel's first words came, when its last record did, and its zero."""

    clock: BootClock
    first_ns: int
    last_ns: int
    zero_ns: int
    live: bool
    has_words: bool


def later_starts(
    log: KernelLog, clocks: Sequence[BootClock], events: Sequence[Event]
) -> tuple[Start, ...]:
    """The boots after the first, in order of time.

    A loader's words show one if a kernel ran before them and does not go on after them; or if the
    same words were there before, and the loader comes to its main loop a second time. A kernel's
    log shows one if its clock begins after the last record of the kernel before. A log that is
    shown again has no clock that runs, or its own kernel goes on after it.
    """
    kernels = [_kernel(log, clock) for clock in clocks]
    found: list[Start] = []
    since = _BootLog(0)
    items: list[tuple[int, _KernelClock | Event]] = [
        (kernel.first_ns, kernel) for kernel in kernels
    ]
    items += [(event.mark.t_ns, event) for event in events]
    items.sort(key=lambda item: (item[0], isinstance(item[1], Event)))
    for t_ns, what in items:
        ran = [k for k in kernels if k.live and since.t_ns <= k.first_ns < t_ns]
        if isinstance(what, _KernelClock):
            start = since.other_kernel(what, ran)
        elif any(k.first_ns < t_ns - _SLACK_NS and k.last_ns > t_ns for k in kernels if k.live):
            continue
        else:
            comes = any(e.kind == "main" and e.mark.t_ns > t_ns for e in events)
            start = since.other_loader(what, kernel_ran=bool(ran), main_comes=comes)
        if start is not None:
            found.append(start)
            since = _BootLog(start.mark.t_ns)
        if isinstance(what, Event):
            since.saw(what)
    return tuple(found)


def _kernel(log: KernelLog, clock: BootClock) -> _KernelClock:
    zero = zero_of(log, clock, 0)
    last_ns = log.arrivals[clock.places[-1]]
    return _KernelClock(
        clock, first_ns(log, clock), last_ns, zero.ns, zero.live, has_words(log, clock)
    )


class _BootLog:
    """The words of one boot so far."""

    def __init__(self, t_ns: int) -> None:
        self.t_ns = t_ns
        self._kinds: set[str] = set()
        self._banners: set[str] = set()
        self._kexec: Mark | None = None

    def saw(self, event: Event) -> None:
        # A log of the boot before may be shown before this one's loader is done.
        if event.kind == "kernel" and RECORD.match(event.text) and not self._loaded:
            return
        self._kinds.add(event.kind)
        if event.kind == "banner":
            self._banners.add(event.text)
        elif event.kind == "kexec":
            self._kexec = event.mark

    @property
    def _loaded(self) -> bool:
        return not self._kinds.isdisjoint(("main", "command", "entry"))

    def other_kernel(self, kernel: _KernelClock, ran: Sequence[_KernelClock]) -> Start | None:
        """The start that a clock shows, with the live ones before it."""
        last_ns = max((k.last_ns for k in ran), default=None)
        if last_ns is None or last_ns > kernel.first_ns or kernel.zero_ns < last_ns - _SLACK_NS:
            return None
        if not (kernel.live and kernel.has_words):
            return None
        return self._kernel_start(max(last_ns, min(kernel.first_ns, kernel.zero_ns)), last_ns)

    def other_loader(self, event: Event, *, kernel_ran: bool, main_comes: bool) -> Start | None:
        """The start that a loader's or a kernel's words show."""
        if event.kind == "kexec":
            return None
        if event.kind == "kernel":
            if "kernel" in self._kinds and self._kexec and not RECORD.match(event.text):
                return self._kernel_start(event.mark.t_ns, self._kexec.t_ns)
            return None
        again = event.kind == "banner" and (
            (self._loaded and main_comes and event.text in self._banners)
            or ("entry" in self._kinds and _FIRST_STAGE.search(event.text) is not None)
        )
        if not (again or kernel_ran or "kernel" in self._kinds):
            return None
        return Start(
            event.mark.model_copy(update={"name": RESTART}),
            f"its loader printed “{event.text.strip()[:60]}”",
        )

    def _kernel_start(self, first_ns: int, before_ns: int) -> Start:
        if self._kexec is not None:
            return Start(
                self._kexec.model_copy(update={"name": RESTART}), "its kernel started another one"
            )
        mark = Mark(
            name=RESTART, t_ns=first_ns, source="console", precision_ns=first_ns - before_ns
        )
        return Start(mark, "another kernel's log began")
