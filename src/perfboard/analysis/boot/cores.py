# SPDX-License-Identifier: Apache-2.0
"""The work of a boot on the cores that its board has."""

from dataclasses import dataclass

from perfboard.analysis.boot.reading.turns import SEVERAL
from perfboard.model.results.boot import IDLE_TASK, Boot, Mark


@dataclass(frozen=True)
class CoreWork:
    """Instructions, and how they may be shared among cores.

    The first `alone` were run before there were several. `chain` are those of the program that ran
    the most: one core has them all.
    """

    count: int
    cores: int = 1
    alone: int = 0
    chain: int = 0

    @classmethod
    def until(cls, boot: Boot, end: Mark, count: int) -> "CoreWork":
        """The last `count` instructions of the boot until that mark."""
        started = boot.mark(SEVERAL)
        if not boot.cores or started is None or end.t_ns <= started.t_ns:
            return cls(count)
        before = count - (end.instructions or 0) + (started.instructions or 0)
        programs = (each.instructions for each in boot.processes if each.name != IDLE_TASK)
        chain = max(programs, default=0) if end.name == "usable" else 0
        alone = max(0, before)
        return cls(count, len(boot.cores), alone, min(chain, count - alone))

    @property
    def least(self) -> float:
        """The fewest that the busiest core runs, however they are shared."""
        return self.alone + max((self.count - self.alone) / self.cores, self.chain)

    @property
    def words(self) -> str:
        """How many they are, and on how many cores."""
        if self.cores == 1:
            return f"{self.count:,} instructions"
        of_one = f", {self.chain:,} of them of one program" if self.chain else ""
        return f"{self.count:,} instructions{of_one}, on {self.cores} cores"


def worked_s(boot: Boot, begin: Mark, end: Mark) -> float:
    """The time between two marks that any core worked, in s."""
    stretches = sorted(
        (max(each.start_ns, begin.t_ns), min(each.start_ns + each.duration_ns, end.t_ns))
        for core in boot.cores
        for each in core.stretches
    )
    worked_ns, until_ns = 0, begin.t_ns
    for start_ns, end_ns in stretches:
        worked_ns += max(0, end_ns - max(start_ns, until_ns))
        until_ns = max(until_ns, end_ns)
    return worked_ns / 1e9
