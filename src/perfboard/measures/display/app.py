# SPDX-License-Identifier: Apache-2.0
"""app.start and app.switch: unpatched programs on a display of their own (study A).

The picture tells when a program is done: no pixel differs, its processes stand still, and the
picture is the one that a calibration on the same target found three times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfboard.bench.display.home import ALIKE
from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.base import Figure, Parameter, text
from perfboard.measures.display.applications.base import Application, all_applications
from perfboard.measures.display.session import (
    ACCEPTED,
    CALIBRATIONS,
    QUIET,
    accepted,
    calibrated,
    display_memory,
    memory_metrics,
    quiet,
    read_session,
    session,
)
from perfboard.model.profile import Value
from perfboard.model.run import Metric
from perfboard.model.text import nearest


def application_of(parameters: Mapping[str, Value], key: str) -> Application:
    """The program that a parameter names. Raises NotMeasurable."""
    name, known = text(parameters, key), all_applications()
    if name not in known:
        raise NotMeasurable(
            f'{key}: there is no "{name}"{nearest(name, known)} There are {", ".join(known)}'
        )
    return known[name]


def samples_of(repeats: int) -> int:
    """Ten samples on a live target, as the study had; one on a board that repeats."""
    return 2 * repeats if repeats > 1 else 1


@dataclass(frozen=True)
class AppStart:
    """Starts one program again and again, looks at its memory, and asks it to close."""

    name: str = "app.start"
    title: str = "Start and exit of a program"
    parameters: Mapping[str, Parameter] = field(
        default_factory=lambda: {
            "program": Parameter("dillo", f"one of {', '.join(all_applications())}"),
            "quiet_ms": QUIET,
        }
    )
    metrics: Mapping[str, Figure] = field(
        default_factory=lambda: {
            "app.start.time": Figure("s", "from just before exec to the last pixel that differs"),
            "app.start.cold": Figure(
                "s",
                "the same with cold caches: of a live target whose caches may be dropped, or of "
                "the first start after a virtual board's boot",
            ),
            "app.start.first": Figure("s", "to the first pixel"),
            "app.start.final": Figure("s", "to 99.9 % of the screen's pixels as they stay"),
            "app.start.look": Figure("s", "the longest look at the screen: the times' resolution"),
            "app.start.refused": Figure("1", "samples that did not count, of all"),
            "app.start.watcher": Figure("1", "the watcher's own share of the processor"),
            "app.exit.time": Figure("s", "from the request to close to the end of the process"),
            **display_memory("app.memory", "after the start"),
        }
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return ()

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        application = application_of(parameters, "program")
        pictures = application.pictures if repeats == 1 else ALIKE
        lines = calibrated("start", f"start calibration {application.command}", pictures)
        once = (f"start start {application.command}", "memory start", "close exit 0", "end")
        lines += once * samples_of(repeats)
        if repeats > 1:
            cold = ("drop app.start.cold", f"!start cold {application.command}", "!end")
            lines += cold * samples_of(repeats)
        return session([application], [quiet(parameters), *lines])

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        found, count = read_session(output), samples_of(repeats)
        samples = accepted(found, "start", count)
        times = {
            "app.start.time": [one.stable for one in samples],
            "app.start.first": [one.first for one in samples],
            "app.start.final": [one.final for one in samples],
            "app.start.look": [one.look for one in samples],
            "app.exit.time": found.exits.get("exit", ()),
        }
        first = found.tried.get("calibration", ())[:1]
        if repeats == 1 and first and first[0].picture == samples[0].picture:
            times["app.start.cold"] = [first[0].stable]
        elif len(cold := found.seen.get("cold", ())) >= ACCEPTED * count:
            times["app.start.cold"] = [one.stable for one in cold]
        metrics = [
            Metric(name=name, unit="s", samples=tuple(values))
            for name, values in times.items()
            if values
        ]
        refused = (1 - len(samples) / count,)
        metrics.append(Metric(name="app.start.refused", unit="1", samples=refused))
        if found.watcher is not None:
            share = (found.watcher,)
            metrics.append(Metric(name="app.start.watcher", unit="1", samples=share))
        metrics += memory_metrics("app.memory", found)
        return tuple(metrics)


@dataclass(frozen=True)
class AppSwitch:
    """Raises one program's window over another's, and then exits the one to start the other."""

    name: str = "app.switch"
    title: str = "Switch from one program to another"
    parameters: Mapping[str, Parameter] = field(
        default_factory=lambda: {
            "program": Parameter("dillo", "the one that is switched to"),
            "other": Parameter("sylpheed", "the one that is switched from"),
            "quiet_ms": QUIET,
        }
    )
    metrics: Mapping[str, Figure] = field(
        default_factory=lambda: {
            "app.switch.warm": Figure("s", "both run: from the request to raise to the last pixel"),
            "app.switch.cold": Figure("s", "the exit of the one plus the start of the other"),
            "app.switch.refused": Figure(
                "1", "samples that did not count, of all, by `kind`: warm, cold"
            ),
            **display_memory("switch.memory", "both run; program is the two together"),
        }
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return ()

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        program, other = (application_of(parameters, key) for key in ("program", "other"))
        if program == other:
            raise NotMeasurable("program and other are one; wants two")

        def there_and_back(label: str) -> list[str]:
            return ["reference warm", f"raise {label} 0", "reference -", "raise back 1"]

        starts = [f"start {name} {one.command}" for name, one in (("a", program), ("b", other))]
        lines = [
            *("reference -", *starts),
            # A reference for the one, none for the way back.
            *(f"?{line}" for line in there_and_back("calibration") * CALIBRATIONS),
            # The last of them needs no way back: its picture is known.
            *("reference -", "raise back 1"),
        ]
        lines += [*there_and_back("warm"), "memory both"] * samples_of(repeats)
        lines.append("end")
        lines += calibrated("cold", f"start calibration {program.command}")
        for _ in range(samples_of(repeats)):
            lines += ["reference -", f"start b {other.command}", "close exit 0", "end"]
            lines += ["reference cold", f"start cold {program.command}", "end"]
        return session([program, other], [quiet(parameters), *lines])

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        found, count = read_session(output), samples_of(repeats)
        warm = tuple(one.stable for one in accepted(found, "warm", count))
        started = [one.stable for one in accepted(found, "cold", count)]
        exits = found.exits.get("exit", ())
        metrics = [Metric(name="app.switch.warm", unit="s", samples=warm)]
        for kind, samples in (("warm", warm), ("cold", started)):
            labels, refused = {"kind": kind}, (1 - len(samples) / count,)
            metrics.append(
                Metric(name="app.switch.refused", unit="1", labels=labels, samples=refused)
            )
        if len(exits) >= ACCEPTED * count:
            # They are two programs': where a sample was refused, the next one stands for it.
            cold = tuple(a + b for a, b in zip(exits, started, strict=False))
            metrics.append(Metric(name="app.switch.cold", unit="s", samples=cold))
        return (*metrics, *memory_metrics("switch.memory", found))


WORKLOADS = (AppStart(), AppSwitch())
