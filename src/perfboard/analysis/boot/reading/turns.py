# SPDX-License-Identifier: Apache-2.0
"""Which process ran when, and on which core, by the scope's record of a boot."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from perfboard.analysis.boot.reading.scope_log import ScopeLog, ScopeRecord
from perfboard.analysis.counters import core_count
from perfboard.model.results.boot import IDLE_TASK, CoreTime, ProcessTime, Stretch

# The stretches of a core that are drawn, at most: those closer together are one.
_STRETCHES = 1000
SEVERAL = "kernel.rest_init"
"""The kernel's first task starts it, until this mark; from there on it starts the other cores."""


@dataclass(frozen=True)
class TaskTurn:
    """A stretch that one process ran on one core, between two instants in ns.

    `idle`: no task that was forked: the core's own, which runs when nothing else does.
    """

    core: int
    process: str
    start_ns: int
    end_ns: int
    instructions: int
    idle: bool


def turns(log: ScopeLog, until_ns: int) -> Iterator[TaskTurn]:
    """All turns up to `until_ns`, in the order of their ends, each core's from its first switch on.

    A `switch` gives the task that leaves the processor and, last, the one that
    takes it, as addresses; `fork` a task that is made, which has its parent's name
    until `comm` (a kernel thread) or `exec` (a program) names it. Time in
    interrupts is the interrupted task's.
    """
    names: dict[int, str] = {}
    current: dict[int, int] = {}
    since: dict[int, ScopeRecord] = {}

    def turn(core: int, end: ScopeRecord) -> TaskTurn:
        start = since[core]
        ran = _instructions(end, core) - _instructions(start, core)
        task = current[core]
        return TaskTurn(
            core, names.get(task, IDLE_TASK), start.ns, end.ns, ran, idle=task not in names
        )

    last: ScopeRecord | None = None
    for record in log.records:
        if record.ns > until_ns:
            continue
        last, core = record, record.core
        task = current.get(core)
        if record.name == "switch" and len(record.words) >= 2:
            if task is not None:
                yield turn(core, record)
            current[core], since[core] = record.words[-1], record
        elif record.name == "fork" and record.words:
            names[record.words[0]] = names.get(task, IDLE_TASK) if task else IDLE_TASK
        elif record.name == "comm" and record.words:
            names[record.words[0]] = record.text
        elif record.name == "exec" and task is not None:
            # Its use so far belongs to its old name.
            yield turn(core, record)
            since[core] = record
            names[task] = record.text.rpartition("/")[2]
    if last is not None:
        yield from (turn(core, last) for core in current if since[core].ns < last.ns)


def _instructions(record: ScopeRecord, core: int) -> int:
    """Those that a core had run by then: the emulator's own count is of all cores."""
    return record.counters.get(f"core{core}_instructions", record.instructions)


def process_times(taken: Iterable[TaskTurn]) -> tuple[ProcessTime, ...]:
    """Processor time by process, largest first, over those turns.

    Processes of one name are one row.
    """
    time_ns: dict[str, int] = defaultdict(int)
    instructions: dict[str, int] = defaultdict(int)
    for each in taken:
        time_ns[each.process] += each.end_ns - each.start_ns
        instructions[each.process] += each.instructions
    rows = [
        ProcessTime(name=n, time_ns=t, instructions=instructions[n]) for n, t in time_ns.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.time_ns))


def core_times(log: ScopeLog, taken: Iterable[TaskTurn], until_ns: int) -> tuple[CoreTime, ...]:
    """The time of each core until then, by the log and its turns; () for a board with one.

    The first core starts the kernel. Stretches that no chart could tell apart are one, named after
    the process that ran the longest of it.
    """
    counted = [record for record in log.records if record.ns <= until_ns and record.counters]
    cores = core_count(counted[-1].counters) if counted else 0
    if not cores:
        return ()
    started_ns = next((each.ns for each in log.records if each.name == SEVERAL), 0)
    worked: dict[int, list[TaskTurn]] = {core: [] for core in range(cores)}
    worked[0].append(TaskTurn(0, IDLE_TASK, 0, min(started_ns, until_ns), 0, idle=False))
    for each in taken:
        if not each.idle and each.start_ns >= started_ns:
            worked[each.core].append(each)
    return tuple(
        CoreTime(
            core=core,
            busy_ns=sum(each.end_ns - each.start_ns for each in found),
            instructions=counted[-1].counters[f"core{core}_instructions"],
            stretches=_stretches(found, until_ns // _STRETCHES),
        )
        for core, found in worked.items()
    )


def _stretches(worked: list[TaskTurn], apart_ns: int) -> tuple[Stretch, ...]:
    groups: list[list[TaskTurn]] = []
    for each in worked:
        close = groups and each.start_ns - groups[-1][-1].end_ns < apart_ns
        same = close and each.process == groups[-1][-1].process
        short = close and each.end_ns - groups[-1][0].start_ns < apart_ns
        if same or short:
            groups[-1].append(each)
        else:
            groups.append([each])
    return tuple(
        Stretch(
            process=max(group, key=lambda each: each.end_ns - each.start_ns).process,
            start_ns=group[0].start_ns,
            duration_ns=group[-1].end_ns - group[0].start_ns,
        )
        for group in groups
        if group[-1].end_ns > group[0].start_ns
    )
