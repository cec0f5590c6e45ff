# SPDX-License-Identifier: Apache-2.0
"""toolkit: one small program of ours in many toolkits (study A's appendix).

The program times itself (native/toolkits/main.c): nobody looks at the screen meanwhile.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from perfboard.bench.job import NotMeasurable, Work
from perfboard.images.program.toolkits import PROGRAM, TOOLKITS
from perfboard.measures.base import Figure, Parameter, text
from perfboard.measures.display.app import samples_of
from perfboard.measures.display.session import (
    QUIET,
    accepted,
    calibrated,
    display_memory,
    memory_metrics,
    quiet,
    read_session,
    session,
)
from perfboard.measures.display.toolkit_rounds import STEPS, read_rounds
from perfboard.model.profile import Value
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
    list=$(LD_TRACE_LOADED_OBJECTS=1 ./{PROGRAM} 2>&1) || {{ echo "@lacks loader $list"; exit 0; }}
    case $list in *"not found"*) echo "@lacks $list"; exit 0 ;; esac
fi
"""
_AFTER = f"[ ! -f {_LINES} ] || cat {_LINES}\n"
_LACKS = re.compile(r"^@lacks (.*)", re.MULTILINE | re.DOTALL)
_ABSENT = re.compile(r"(\S{1,100}) => not found")


def _name(parameters: Mapping[str, Value]) -> str:
    name = text(parameters, "toolkit")
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


@dataclass(frozen=True)
class ToolkitWindow:
    """Starts the small window again and again, and then makes, uses and destroys the larger one."""

    name: str = "toolkit"
    title: str = "One window in a toolkit"
    parameters: Mapping[str, Parameter] = field(
        default_factory=lambda: {
            "toolkit": Parameter("xaw", f"one of {', '.join(TOOLKITS)}"),
            "quiet_ms": QUIET,
        }
    )
    metrics: Mapping[str, Figure] = field(
        default_factory=lambda: {
            "toolkit.hello.time": Figure("s", "a small window: from before exec to the last pixel"),
            **display_memory("toolkit.memory", "with the small window"),
            **{f"toolkit.{step}.time": Figure("s", help) for step, help in STEPS.items()},
            "toolkit.refused": Figure("1", "starts and steps that did not count, of all"),
        }
    )

    def commands(self, parameters: Mapping[str, Value]) -> tuple[str, ...]:
        """See `Workload`."""
        return ()

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        name, count = _name(parameters), samples_of(repeats)
        once = (f"start hello ./{PROGRAM} hello", "memory hello", "close exit 0", "end")
        lines = [
            quiet(parameters),
            *calibrated("hello", f"start calibration ./{PROGRAM} hello"),
            *once * count,
            f"limit {_LIMIT_MS}",
            *(f"run rounds ./{PROGRAM} rounds {_ROUNDS} {_LINES}", "end") * count,
        ]
        work = session([], lines)
        return replace(
            work,
            script=_BEFORE + work.script + _AFTER,
            packages=(*work.packages, *TOOLKITS[name].needed),
            toolkit=name,
        )

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        name, count = _name(parameters), samples_of(repeats)
        if match := _LACKS.search(output):
            absent = ", ".join(_ABSENT.findall(match[1])) or "loader for Debian's programs"
            packages = " ".join(TOOLKITS[name].needed)
            raise NotMeasurable(f"the target has no {absent}; on Debian, install {packages} there")
        found, rounds = read_session(output), read_rounds(output)
        hello = accepted(found, "hello", count)
        metrics = [
            Metric(name="toolkit.hello.time", unit="s", samples=tuple(one.stable for one in hello)),
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
        return (*metrics, Metric(name="toolkit.refused", unit="1", samples=refused))


WORKLOADS = (ToolkitWindow(),)
