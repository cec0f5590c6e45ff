# SPDX-License-Identifier: Apache-2.0
"""app.start and app.switch: unpatched programs on a display of their own (set-top box study, 2002).

The picture tells when a program is done: no pixel differs, its processes stand still, and the
picture is the one that a calibration on the same target found three times.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from perfboard.bench.display.home import ALIKE
from perfboard.bench.display.rows import TaskRow
from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Parameter, Quantity, Setting
from perfboard.measures.display.applications.base import Application, all_applications
from perfboard.measures.display.own_program import (
    OWN,
    PROGRAM,
    X11,
    OwnProgramMeasure,
    framebuffer,
    own_application,
    with_files,
)
from perfboard.measures.display.session import (
    ACCEPTED,
    CALIBRATIONS,
    EXIT,
    MEMORY,
    QUIET,
    TASK,
    DisplayMeasure,
    accepted,
    calibrated,
    display_memory,
    example_memory,
    memory_metrics,
    quiet,
    read_session,
    session,
)
from perfboard.model.run import Metric
from perfboard.model.text import nearest

_BY_SIGNAL = (
    "app.exit.time: a framebuffer has no window to close, so the program's processes were asked to "
    "end by SIGTERM."
)
_NO_COLD = (
    "Not measured: app.start.cold: a virtual board has files of yours in its memory, and would not "
    "read them from its medium."
)


def application_of(setting: Setting, key: str) -> Application:
    """The program that a parameter names. Raises NotMeasurable."""
    name, known = setting.text(key), all_applications()
    if name not in known:
        raise NotMeasurable(
            f'{key}: there is no "{name}"{nearest(name, known)} There are {", ".join(known)}'
        )
    return known[name]


def samples_of(setting: Setting) -> int:
    """Ten samples on a live target, as the study had; one on a board that repeats."""
    return 1 if setting.facts.exact else 2 * setting.repeats


def sampled_metrics(
    name: str,
    samples: Sequence[TaskRow],
    count: int,
    labels: Mapping[str, str] = MappingProxyType({}),
) -> list[Metric]:
    """NAME.time of the samples that count, and NAME.refused, the share of those that do not."""
    times, refused = tuple(one.time_s for one in samples), (1 - len(samples) / count,)
    return [
        Metric(name=f"{name}.time", unit="s", labels=dict(labels), samples=times),
        Metric(name=f"{name}.refused", unit="1", labels=dict(labels), samples=refused),
    ]


class AppStart(OwnProgramMeasure):
    """Starts one program again and again, looks at its memory, and asks it to close."""

    name = "app.start"
    title = "Start and exit of a program"
    parameters = (
        Parameter("program", PROGRAM, f"one of {', '.join(all_applications())}"),
        *OWN,
        QUIET,
    )
    metrics = (
        Quantity("app.start.time", "s", "from just before exec to the last pixel that differs"),
        Quantity(
            "app.start.cold",
            "s",
            "the same with cold caches: of a live target whose caches may be dropped, or of "
            "the first start after a virtual board's boot",
        ),
        Quantity("app.start.first", "s", "to the first pixel"),
        Quantity("app.start.final", "s", "to 99.9 % of the screen's pixels as they stay"),
        Quantity("app.start.look", "s", "the longest look at the screen: the times' resolution"),
        Quantity("app.start.refused", "1", "samples that did not count, of all"),
        Quantity("app.start.watcher", "1", "the watcher's own share of the processor"),
        Quantity("app.exit.time", "s", "from the request to close to the end of the process"),
        *display_memory("app.memory", "after the start"),
    )
    examples = (
        Example(
            f"{TASK % ('calibration', 'calibration')}{TASK % ('start', 'ok')}{MEMORY}{EXIT}"
            '{"row":"watcher","busy_ns":2,"of_ns":100}\n',
            {
                "app.start.time": 0.03,
                "app.start.cold": 0.03,
                "app.start.first": 0.01,
                "app.start.final": 0.02,
                "app.start.look": 0.0004,
                "app.start.refused": 0,
                "app.start.watcher": 0.02,
                "app.exit.time": 0.002,
                **example_memory("app.memory"),
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        application = own_application(setting) or application_of(setting, "program")
        pictures = application.pictures if setting.facts.exact else ALIKE
        lines = calibrated("start", f"start calibration {application.command}", pictures)
        once = (f"start start {application.command}", "memory start", "close exit 0", "end")
        lines += once * samples_of(setting)
        if not setting.facts.exact:
            cold = ("drop app.start.cold", f"!start cold {application.command}", "!end")
            lines += cold * samples_of(setting)
        plan = [quiet(setting), *lines]
        return with_files(session([application], plan, framebuffer=framebuffer(setting)), setting)

    def read(self, output: str, setting: Setting) -> Finding:
        found, count = read_session(output), samples_of(setting)
        samples, notes = accepted(found, "start", count), list[str]()
        times = {
            "app.start.time": [one.time_s for one in samples],
            "app.start.first": [one.first_ns / 1e9 for one in samples],
            "app.start.final": [one.final_ns / 1e9 for one in samples],
            "app.start.look": [one.look_ns / 1e9 for one in samples],
            "app.exit.time": found.exits.get("exit", ()),
        }
        first = found.tried.get("calibration", ())[:1]
        # The user's files lie in a virtual board's memory: nothing would be read from its card.
        if setting.facts.exact and setting.text("files"):
            notes.append(_NO_COLD)
        elif setting.facts.exact and first and first[0].hash == samples[0].hash:
            times["app.start.cold"] = [first[0].time_s]
        elif len(cold := found.seen.get("cold", ())) >= ACCEPTED * count:
            times["app.start.cold"] = [one.time_s for one in cold]
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
        if not found.exits and (why := found.refused.get("exit")):
            notes.append(f"Not measured: app.exit.time: {why[0]}.")
        elif framebuffer(setting):
            notes.append(_BY_SIGNAL)
        return Finding(tuple(metrics), notes=tuple(notes))


class AppSwitch(OwnProgramMeasure):
    """Raises one program's window over another's, and then exits the one to start the other."""

    name = "app.switch"
    labels = MappingProxyType({**DisplayMeasure.labels, "kind": ("warm", "cold")})
    title = "Switch from one program to another"
    parameters = (
        Parameter("program", PROGRAM, "the one that is switched to"),
        *OWN,
        Parameter("other", "sylpheed", "the one that is switched from"),
        QUIET,
    )
    metrics = (
        Quantity("app.switch.warm", "s", "both run: from the request to raise to the last pixel"),
        Quantity("app.switch.cold", "s", "the exit of the one plus the start of the other"),
        Quantity(
            "app.switch.refused", "1", "samples that did not count, of all, by `kind`: warm, cold"
        ),
        *display_memory("switch.memory", "both run; program is the two together"),
    )
    examples = (
        Example(
            f"{TASK % ('warm', 'ok')}{MEMORY}{EXIT}{TASK % ('cold', 'ok')}",
            {
                "app.switch.warm": 0.03,
                "app.switch.cold": 0.032,
                "app.switch.refused": 0,
                **example_memory("switch.memory"),
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        program = own_application(setting) or application_of(setting, "program")
        if (display := setting.text("display")) != X11:
            raise NotMeasurable(
                f"display={display}: app.switch raises a window, and only X has windows; leave "
                f"display at {X11}, or measure app.start"
            )
        other = application_of(setting, "other")
        if program == other:
            raise NotMeasurable("program and other are one; needs two")

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
        lines += [*there_and_back("warm"), "memory both"] * samples_of(setting)
        lines.append("end")
        lines += calibrated("cold", f"start calibration {program.command}")
        for _ in range(samples_of(setting)):
            lines += ["reference -", f"start b {other.command}", "close exit 0", "end"]
            lines += ["reference cold", f"start cold {program.command}", "end"]
        return with_files(session([program, other], [quiet(setting), *lines]), setting)

    def read(self, output: str, setting: Setting) -> Finding:
        found, count = read_session(output), samples_of(setting)
        warm = tuple(one.time_s for one in accepted(found, "warm", count))
        started = [one.time_s for one in accepted(found, "cold", count)]
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
        metrics += memory_metrics("switch.memory", found)
        return Finding(tuple(metrics))


MEASURES = (AppStart(), AppSwitch())
