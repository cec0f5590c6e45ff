# SPDX-License-Identifier: Apache-2.0
"""The record of a boot whose board has several cores."""

import json

import pytest

from perfboard.analysis.boot.record import boot_record
from perfboard.model.results.boot import Boot


def boot(*ran: int) -> Boot:
    """A boot at whose end each core had run so many instructions."""
    counters = {f"core{core}_instructions": count for core, count in enumerate(ran)}
    record = {"mark": "exec", "ns": 10, "instructions": sum(ran), "text": "/sbin/last", "core": 0}
    log = json.dumps(record | {"counters": counters})
    return boot_record(log, b"", "exec:last", 1, None)


@pytest.mark.parametrize(
    ("ran", "said"),
    [
        ((9, 0), "Core 1 was never started: a kernel starts others with CONFIG_SMP, up to `max"),
        ((9, 0, 4, 0), "Cores 1, 3 were never started"),
    ],
)
def test_cores_that_never_ran_are_named(ran: tuple[int, ...], said: str) -> None:
    assert any(note.startswith(said) for note in boot(*ran).notes)
    assert [core.instructions for core in boot(*ran).cores] == [*ran]


def test_nothing_is_said_of_cores_that_ran_or_of_one() -> None:
    assert boot(9, 1).notes == boot().notes == ()
    assert boot().cores == () and "cores" not in json.loads(boot().model_dump_json())
