# SPDX-License-Identifier: Apache-2.0
"""The bring-up of a new board (bring-up study, 2010): its disk, network and memory in one run."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from perfboard.bench.lab import Lab
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.measures.loop import Item
from perfboard.model.errors import UsageError, refusals
from perfboard.model.options import option
from perfboard.model.profile import Value
from perfboard.model.run import Run
from perfboard.model.text import nearest
from perfboard.studies.plan import Plan, check_plan, run_plan
from perfboard.studies.sets import set_items, with_given

# The one probe among them.
_PROBES_S = 6.0


@dataclass(frozen=True)
class BringupOptions:
    """The options of `perfboard study bringup`."""

    only: tuple[str, ...] = option(
        (), "measure this row alone; repeatable", parse=tuple, metavar="ROW", repeated=True
    )
    folder: str = option(
        "",
        "the folder on the target whose disk is measured (default: the first one that is on a "
        "disk, of $TMPDIR, /var/tmp and $HOME there)",
        metavar="FOLDER",
    )
    quick: str = option("", "fewer sizes, and a tenth of the writing: spares flash", switch=True)


@dataclass(frozen=True)
class BringupStudy:
    """Measures every row on one target."""

    name: str = "bringup"
    title: str = "Bring-up of a board"
    question: str = "How fast are its disk, network and memory, and what holds each back?"
    options: type[BringupOptions] = BringupOptions
    targets: tuple[str, ...] = ()
    default_target: str = "local"
    headline: str = ""
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def check(self, request: Request, options: BringupOptions) -> list[str]:
        plan: list[Plan] = []
        wrong = refusals(lambda: plan.append(self._plan(options)))
        return wrong or check_plan(plan[0], request, BenchOptions())

    def run(self, request: Request, options: BringupOptions, lab: Lab) -> Run:
        return run_plan(self._plan(options), request, BenchOptions(), lab)

    def _plan(self, options: BringupOptions) -> Plan:
        return Plan(self.name, _items(options), _PROBES_S)


def _items(options: BringupOptions) -> list[Item]:
    asked: dict[str, Value] = {"quick": bool(options.quick), "folder": options.folder}
    given = {name: value for name, value in asked.items() if value}
    items = set_items("bringup")
    rows = [item.measure.name for item in items]
    for name in options.only:
        if name not in rows:
            raise UsageError(
                f'--only {name}: there is no row "{name}"{nearest(name, rows)} The rows are: '
                f"{', '.join(rows)}"
            )
    kept = [item for item in items if not options.only or item.measure.name in options.only]
    for name in given:
        if all(name not in item.parameters for item in kept):
            raise UsageError(f"--{name}: no row that is measured here has it; omit it")
    return [with_given(item, given) for item in kept]


STUDY = BringupStudy()
