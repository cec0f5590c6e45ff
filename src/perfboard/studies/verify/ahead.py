# SPDX-License-Identifier: Apache-2.0
"""How long the runs of a verification take on this machine, said before them and while they run."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from perfboard.bench.lab import Lab
from perfboard.measures.loop import time_left, time_words
from perfboard.model.progress import Progress, Step
from perfboard.studies.verify.plan import Group, ProgramKey, VerifyPlan

# Seconds of a processor's time, by a part of one run of teres, whose four cores are timed: a board
# of one core may take less. A boot, with which probes begin too, took 30. Probes took 8.4 for a
# second of the board's, of which they spend some three quarters of what they may: their number and
# weights only share it out.
_BOOT_S, _SECOND_S = 30.0, 6.5

RunKey = Group | ProgramKey


@dataclass(frozen=True)
class RunsAhead:
    """The runs in their order, and the host's seconds that each takes, where that is known."""

    keys: Sequence[RunKey] = ()
    times: Mapping[RunKey, float] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """How long all take, as in "about 4 min on this machine"."""
        return f"{time_words(self.keys, self.times)} on this machine"

    def lab_for(self, key: RunKey, lab: Lab) -> Lab:
        """The lab whose steps say which run it is, and how long that and the rest take."""
        if key not in self.keys:
            return lab
        place = self.keys.index(key)
        left = time_left(self.keys[place:], self.times)
        words = f"run {place + 1} of {len(self.keys)}, {left}"
        return replace(lab, progress=_StepsOfRun(lab.progress, words))


class _StepsOfRun:
    """Progress whose steps name the place in the whole."""

    def __init__(self, progress: Progress, place: str) -> None:
        self._progress, self._place = progress, place

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        """See `Progress`."""
        with self._progress.step(f"{title} ({self._place})", total) as step:
            yield step


def runs_ahead(plan: VerifyPlan) -> RunsAhead:
    """The runs of the plan: boots and probes by what such work took, programs as recorded."""
    times: dict[RunKey, float] = {}
    for group in plan.groups:
        times[group] = _BOOT_S
        if group[0] == "probes":
            times[group] += plan.probe_time_s(group) * _SECOND_S
    programs = plan.programs
    times |= {key: row.host for key, row in programs.items() if row.host is not None}
    return RunsAhead((*plan.groups, *programs), times)
