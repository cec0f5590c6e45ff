# SPDX-License-Identifier: Apache-2.0
"""The metrics of a command that was tried on a board, in words."""

from perfboard.analysis import counters

TITLES = {
    "try.time.real": "real",
    "try.time.user": "user",
    "try.time.system": "system",
    "try.time.idle": "idle",
    "try.time.futex": "asleep in futex, all threads together",
    "try.instructions": "instructions",
    "try.memory.resident": "memory at most",
    **{f"try.{name}": title for name, title in counters.TITLES.items()},
}
