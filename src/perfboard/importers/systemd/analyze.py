# SPDX-License-Identifier: Apache-2.0
"""systemd-analyze: its first lines, `blame` and `critical-chain`, in one file or several."""

import re
from collections.abc import Iterator, Mapping, Sequence

from perfboard.analysis.boot.phases import FIRMWARE_END
from perfboard.analysis.boot.reading.firmware import STAGE
from perfboard.analysis.boot.reading.screen import readable
from perfboard.analysis.boot.reading.services import STEP
from perfboard.importers.base import LONGEST_NS, FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.lines import lines_of
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, Mark, Span
from perfboard.model.run import Metric
from perfboard.model.text import printable

_NS = {"y": 31_557_600e9, "month": 2_629_800e9, "w": 604_800e9, "d": 86_400e9, "h": 3600e9}
_NS |= {"min": 60e9, "s": 1e9, "ms": 1e6, "us": 1e3, "µs": 1e3}
_TIME = r"(?:\d{1,9}(?:\.\d{1,6})?(?:y|month|w|d|h|min|ms|us|µs|s)\s?){1,6}"
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(y|month|w|d|h|min|ms|us|µs|s)")
_TOTAL = re.compile(rf"Startup finished in (.{{1,400}}?) = ({_TIME})")
_SAYS_TOTAL = re.compile(rb"Startup finished in .{1,400}\(userspace\) = [\d.a-z ]{2,60}")
_STAGE = re.compile(rf"({_TIME})\((firmware|loader|kernel|initrd|userspace)\)")
_TARGET = re.compile(rf"(\S{{1,80}}\.target) reached after ({_TIME})in userspace")
_BLAME = re.compile(rf"\s*({_TIME})(\S{{1,200}}\.[a-z]{{3,9}})\s*")
# A unit of the critical chain, when it began to start, and how long it took; a tree before it.
_CHAIN = re.compile(rf"[^\w-]{{0,200}}([\w-]\S{{0,199}}\.[a-z]{{3,9}}) @({_TIME})(?:\+({_TIME}))?")
_MOST_UNITS = 2000
# The shortest time that is printed.
_MS = 1_000_000
_AMONG_OTHERS = 0.55
# Two figures of one time differ by less than this share.
_UNLIKE = 0.05


def duration_in(text: str) -> int:
    """The ns of a time as systemd prints it, such as "1min 2.500s"; 0 if there is none."""
    return round(sum(float(part[1]) * _NS[part[2]] for part in _PART.finditer(text)))


def parts_of(text: str) -> tuple[dict[str, int], int]:
    """The parts of a boot in ns that systemd names in a text, and the total that it states.

    Without such a line no parts, and 0.
    """
    total = _TOTAL.search(text)
    if total is None:
        return {}, 0
    return {name: duration_in(time) for time, name in _STAGE.findall(total[1])}, duration_in(
        total[2]
    )


def total_notes(parts: Mapping[str, int], total_ns: int) -> tuple[str, ...]:
    """A sentence if systemd's total is not the sum of its parts, each rounded to a millisecond."""
    whole_ns = sum(parts.values())
    if not parts or abs(total_ns - whole_ns) <= (len(parts) + 1) * _MS:
        return ()
    words = f"systemd's total is {total_ns / 1e9:.3f} s, its parts are {whole_ns / 1e9:.3f} s: "
    if total_ns < whole_ns:
        return (f"{words}the parts are longer than the whole.",)
    return (f"{words}{(total_ns - whole_ns) / 1e9:.3f} s are in none of them.",)


def startup_notes(text: bytes, boots: Sequence[Boot]) -> tuple[str, ...]:
    """Sentences on what systemd itself says in a log of one boot, if the log shows another."""
    if len(boots) != 1 or not (found := _SAYS_TOTAL.search(text)):
        return ()
    parts, total_ns = parts_of(found[0].decode("latin-1"))
    clock, init = boots[0].mark("kernel.clock"), boots[0].mark("init.exec")
    notes = total_notes(parts, total_ns)
    if "kernel" not in parts or clock is None or init is None:
        return notes
    shown_ns, off_ns = init.t_ns - clock.t_ns, init.precision_ns + clock.precision_ns
    if abs(parts["kernel"] - shown_ns) <= off_ns + max(_MS, _UNLIKE * shown_ns):
        return notes
    words = (
        f"systemd says that the kernel took {parts['kernel'] / 1e9:.3f} s; by the log it was "
        f"{shown_ns / 1e9:.3f} s."
    )
    return (*notes, words)


def _marks(text: str) -> Iterator[Mark]:
    stages, _ = parts_of(text)
    if "kernel" not in stages or "userspace" not in stages or max(stages.values()) > LONGEST_NS:
        return
    before_ns = stages.get("firmware", 0) + stages.get("loader", 0)
    # Each time is rounded to a millisecond, so they add up to one each.
    precision_ns = len(stages) * _MS

    def mark(name: str, t_ns: int) -> Mark:
        return Mark(
            name=name, t_ns=t_ns, clock="kernel", source="systemd", precision_ns=precision_ns
        )

    if before_ns:
        yield mark("reset", 0)
        if stages.get("firmware") and stages.get("loader"):
            yield mark(f"{STAGE}bootloader", stages["firmware"])
        yield mark("kernel.entry", before_ns)
        yield mark(FIRMWARE_END, before_ns)
    yield mark("kernel.clock", before_ns)
    init_ns = before_ns + stages["kernel"]
    yield mark("init.exec", init_ns)
    system_ns = init_ns + stages.get("initrd", 0)
    if "initrd" in stages:
        yield mark(f"{STEP}initramfs", init_ns)
        yield mark(f"{STEP}system", system_ns)
    usable_ns = system_ns + stages["userspace"]
    if target := _TARGET.search(text):
        yield mark("usable", min(usable_ns, system_ns + duration_in(target[2])))
    else:
        yield mark("usable", usable_ns)


def _spans(lines: list[str], system_ns: int | None) -> Iterator[Span]:
    """The units that took a time; those of the critical chain have a start if user space has."""
    found: dict[str, tuple[int | None, int]] = {}
    for line in lines:
        if (match := _CHAIN.fullmatch(line)) and match[3]:
            start_ns = None if system_ns is None else system_ns + duration_in(match[2])
            found[match[1]] = start_ns, duration_in(match[3])
        elif match := _BLAME.fullmatch(line):
            found.setdefault(match[2], (None, duration_in(match[1])))
    for name, (start_ns, duration_ns) in [*found.items()][:_MOST_UNITS]:
        if max(start_ns or 0, duration_ns) > LONGEST_NS:
            continue
        yield Span(
            kind="service",
            name=printable(name),
            start_ns=start_ns,
            duration_ns=duration_ns,
            returned=0,
        )


def _share(head: bytes) -> float:
    lines = [line for line in _lines(head) if line.strip()]
    if any(_TOTAL.match(line) for line in lines[:5]):
        return 1.0
    if _SAYS_TOTAL.search(head):
        # In a tool's frame, or among other texts: a log with times of its own goes before.
        return _AMONG_OTHERS
    units = sum(1 for line in lines if _BLAME.fullmatch(line) or _CHAIN.fullmatch(line))
    return units / len(lines) if lines else 0.0


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    lines = [line for raw in lines_of(file) for line in _lines(raw)]
    text = "\n".join(lines)
    marks = tuple(_marks(text))
    init = next((mark for mark in marks if mark.name == "init.exec"), None)
    system = next((mark for mark in marks if mark.name == f"{STEP}system"), init)
    spans = tuple(_spans(lines, system.t_ns if system else None))
    metrics = tuple(_target(lines))
    if not marks and not spans and not metrics:
        raise UsageError(
            f"{file.path}: has no line of systemd-analyze's, nor of its blame or critical-chain"
        )
    notes = ["systemd-analyze's times are rounded to a millisecond, or to more."]
    notes += total_notes(*parts_of(text))
    if not marks:
        notes.append("Without the first lines of systemd-analyze no phase is known.")
    return FileContent(
        boots=(Boot(marks=marks, spans=spans),), metrics=metrics, notes=tuple(notes), joins=True
    )


def _lines(text: bytes) -> list[str]:
    """The lines of a text as a terminal shows them."""
    return [readable(line.decode("latin-1")).rstrip() for line in text.splitlines()]


def _target(lines: list[str]) -> Iterator[Metric]:
    """The root of the critical chain: the target that user space reached, and when."""
    for line in lines:
        match = _CHAIN.fullmatch(line)
        if (
            match
            and match[1].endswith(".target")
            and (at_ns := duration_in(match[2])) <= LONGEST_NS
        ):
            labels = {"target": printable(match[1])}
            yield Metric(name="systemd.target", unit="s", labels=labels, samples=(at_ns / 1e9,))
            return


IMPORTER = Importer(
    "systemd-analyze",
    "systemd-analyze, its blame or critical-chain: Startup finished in 1.2s (kernel) + ...",
    _share,
    _read,
)
