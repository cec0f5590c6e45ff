# SPDX-License-Identifier: Apache-2.0
"""The lines of a far end's server among those of the watcher."""

import re
from collections.abc import Iterable

_BEGAN = re.compile(r"@task \S+ \w+ began=(\d{1,19}) .*")


def with_served(output: str, sent: Iterable[tuple[int, str]]) -> str:
    """The watcher's output with the server's lines, each before that of the task of its time.

    `sent` are lines and when they were, on the clock of the tasks' `began`.
    """
    lines = output.splitlines()
    begins = [
        (int(match[1]), number)
        for number, line in enumerate(lines)
        if (match := _BEGAN.fullmatch(line)) and int(match[1])
    ]
    before: dict[int, list[str]] = {}
    for ns, words in sorted(sent):
        # A line from before the first task belongs to no task.
        number = max((number for began, number in begins if began <= ns), default=None)
        if number is not None:
            before.setdefault(number, []).append(words)
    whole = [each for n, line in enumerate(lines) for each in (*before.get(n, ()), line)]
    return "".join(f"{line}\n" for line in whole)
