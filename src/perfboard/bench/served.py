# SPDX-License-Identifier: Apache-2.0
"""The rows of a far end's server among those of the watcher."""

from collections.abc import Iterable
from operator import itemgetter

from perfboard.bench.display.rows import TaskRow
from perfboard.model.rows import Row, read_row


def with_served(output: str, sent: Iterable[tuple[int, Row]]) -> str:
    """The watcher's output with the server's rows, each before that of the task of its time.

    `sent` are rows and when they were, on the clock of the tasks' `began_ns`.
    """
    lines = output.splitlines()
    begins = [
        (task.began_ns, number)
        for number, line in enumerate(lines)
        if (task := read_row(line, TaskRow)) and task.began_ns
    ]
    before: dict[int, list[str]] = {}
    for ns, row in sorted(sent, key=itemgetter(0)):
        # A row from before the first task belongs to no task.
        number = max((number for began, number in begins if began <= ns), default=None)
        if number is not None:
            before.setdefault(number, []).append(row.line())
    whole = [each for n, line in enumerate(lines) for each in (*before.get(n, ()), f"{line}\n")]
    return "".join(whole)
