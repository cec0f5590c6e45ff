# SPDX-License-Identifier: Apache-2.0
"""toolkit: one small program of ours in many toolkits (the appendix of the set-top box study).

The program times itself (native/toolkits/main.c): nobody looks at the screen meanwhile.
"""

from dataclasses import replace
from itertools import product
from types import MappingProxyType

from perfboard.bench.job import Job, NotMeasurable
from perfboard.images.program.toolkits import PROGRAM, TOOLKITS
from perfboard.measures.base import Example, Finding, Parameter, Quantity, Setting
from perfboard.measures.display.app import samples_of
from perfboard.measures.display.session import (
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
from perfboard.measures.display.toolkit_rounds import STEPS, read_rounds
from perfboard.measures.reading import printed, say
from perfboard.model.run import Metric
from perfboard.model.text import nearest

# The first, and three more.
_ROUNDS = 4
_LINES = "toolkit.lines"
_LIMIT_MS = 240_000
# The loader names the libraries that it does not find. A virtual board has them all, and would have
# read them before its first start.
_BEFORE = f"""\
if [ -z "$SCOPE" ]; then
    list=$(LD_TRACE_LOADED_OBJECTS=1 ./{PROGRAM} 2>&1) ||
        list="loader for Debian's programs => not found"
    lacks=$(echo "$list" | sed -n 's/^[[:space:]]*\\(.*\\) => not found.*/\\1/p')
    [ -z "$lacks" ] || {{ {say("lacks", "$lacks").strip()}; exit 0; }}
fi
"""
_AFTER = f"[ ! -f {_LINES} ] || cat {_LINES}\n"


def _name(setting: Setting) -> str:
    name = setting.text("toolkit")
    if name == "lvgl":
        raise NotMeasurable(
            "toolkit: Debian has no package of LVGL, and the programs are built with its packages"
        )
    if name not in TOOLKITS:
        raise NotMeasurable(
            f'toolkit: there is no "{name}"{nearest(name, TOOLKITS)} There are '
            f"{', '.join(TOOLKITS)}"
        )
    return name


class ToolkitWindow(DisplayMeasure):
    """Starts the small window again and again, and then makes, uses and destroys the larger one."""

    name = "toolkit"
    labels = MappingProxyType({**DisplayMeasure.labels, "run": ("first", "rest")})
    title = "One window in a toolkit"
    parameters = (
        Parameter("toolkit", "xaw", f"one of {', '.join(TOOLKITS)}"),
        QUIET,
    )
    metrics = (
        Quantity("toolkit.hello.time", "s", "a small window: from before exec to the last pixel"),
        *display_memory("toolkit.memory", "with the small window"),
        *(Quantity(f"toolkit.{step}.time", "s", meaning) for step, meaning in STEPS.items()),
        Quantity("toolkit.refused", "1", "starts and steps that did not count, of all"),
    )
    examples = (
        Example(
            f"{TASK % ('hello', 'ok')}{MEMORY}{EXIT}"
            f'{{"row":"rounds","count":{_ROUNDS}}}\n'
            + "".join(
                f'{{"row":"step","round":{number},"step":"{step}","took_ns":2000}}\n'
                for number, step in product(range(_ROUNDS), STEPS)
            ),
            {
                "toolkit.hello.time": 0.03,
                **example_memory("toolkit.memory"),
                **dict.fromkeys([f"toolkit.{step}.time" for step in STEPS], 2e-6),
                "toolkit.refused": 0,
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        name, count = _name(setting), samples_of(setting)
        once = (f"start hello ./{PROGRAM} hello", "memory hello", "close exit 0", "end")
        lines = [
            quiet(setting),
            *calibrated("hello", f"start calibration ./{PROGRAM} hello"),
            *once * count,
            f"limit {_LIMIT_MS}",
            *(f"run rounds ./{PROGRAM} rounds {_ROUNDS} {_LINES}", "end") * count,
        ]
        job = session([], lines)
        return replace(
            job,
            script=_BEFORE + job.script + _AFTER,
            packages=(*job.packages, *TOOLKITS[name].needed),
            toolkit=name,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        name, count = _name(setting), samples_of(setting)
        if lacks := ", ".join(printed(output, "lacks").splitlines()):
            packages = " ".join(TOOLKITS[name].needed)
            raise NotMeasurable(f"the target has no {lacks}; on Debian, install {packages} there")
        found, rounds = read_session(output), read_rounds(output)
        hello = accepted(found, "hello", count)
        metrics = [
            Metric(name="toolkit.hello.time", unit="s", samples=tuple(one.time_s for one in hello)),
            *memory_metrics("toolkit.memory", found),
        ]
        got = len(hello)
        for run, times, wanted in (
            ("first", rounds.first, count),
            ("rest", rounds.rest, count * (_ROUNDS - 1)),
        ):
            for step in STEPS:
                samples = tuple(times[step])
                if not 0.9 * wanted <= len(samples) <= wanted:
                    why = next(iter((*rounds.refused, *found.refused.get("rounds", ()))), "")
                    raise NotMeasurable(
                        f"{len(samples)} of {wanted} samples of {step} were accepted: {why}"
                    )
                got += len(samples)
                labels = {"run": run}
                metrics.append(
                    Metric(name=f"toolkit.{step}.time", unit="s", labels=labels, samples=samples)
                )
        refused = (1 - got / (count * (1 + len(STEPS) * _ROUNDS)),)
        metrics.append(Metric(name="toolkit.refused", unit="1", samples=refused))
        return Finding(tuple(metrics))


MEASURES = (ToolkitWindow(),)
