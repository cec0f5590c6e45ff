# SPDX-License-Identifier: Apache-2.0
"""Sets of measures: those that come with Perfboard, the user's, and what is wrong with a name."""

from pathlib import Path

import pytest

from perfboard.binaries.probes import all_probes
from perfboard.model.errors import UsageError
from perfboard.studies.sets import items_named, set_items

HEAD = """
schema = "perfboard.profile/2"
[profile]
name = "mine"
device = "Mine"
for = "me"
"""
ROW = """
[[key_issue]]
name = "{name}"
question = "How fast?"
measure = "{measure}"
{more}
"""


def written(folder: Path, *rows: str) -> str:
    path = folder / "mine.toml"
    path.write_text(HEAD + "".join(rows))
    return str(path)


def test_standard_has_every_probe_in_the_order_of_the_binary() -> None:
    names = [item.measure.name for item in set_items("standard")]
    assert names == [probe.name for probe in all_probes()]


def test_a_file_of_the_users_is_a_set(tmp_path: Path) -> None:
    quick = "parameters = { quick = true }"
    rows = (
        ROW.format(name="one", measure="disk.dd", more=quick),
        ROW.format(name="two", measure="memory.free", more=""),
        ROW.format(name="twice", measure="memory.free", more=""),
    )
    disk, free = items_named([written(tmp_path, *rows)], {})
    assert (disk.measure.name, free.measure.name) == ("disk.dd", "memory.free")
    assert disk.parameters["quick"] is True


def test_a_parameter_goes_to_all_that_have_it() -> None:
    disk, kernel = items_named(["disk.dd", "kernel.image"], {"quick": True})
    assert disk.parameters["quick"] is True and not kernel.parameters
    assert len(items_named(["memory.free", "bringup"], {})) == len(set_items("bringup"))


@pytest.mark.parametrize(
    ("names", "given", "said"),
    [
        (["memory.latenzy"], {}, 'no measure or set "memory.latenzy"; did you mean "memory.lat'),
        (["bring-up"], {}, 'did you mean "bringup"'),
        (["kiosk"], {}, "`perfboard choose kiosk` does so"),
        (["./nosuch.toml"], {}, "nosuch.toml"),
        (["disk.dd"], {"quik": True}, 'no such parameter here; did you mean "quick"'),
        (["kernel.image"], {"quick": True}, "There are: none"),
        (["disk.dd"], {"quick": 1}, "quick is 1; give true or false"),
    ],
)
def test_a_name_that_is_wrong_is_answered(
    names: list[str], given: dict[str, bool], said: str
) -> None:
    with pytest.raises(UsageError) as raised:
        items_named(names, given)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (ROW.format(name="one", measure="disk.d", more=""), 'one: there is no measure "disk.d"'),
        (
            ROW.format(name="one", measure="disk.dd", more="parameters = { quik = true }"),
            'has no parameter "quik"; did you mean "quick"',
        ),
        (
            ROW.format(
                name="one", measure="memory.application", more='parameters = { command = "reboot" }'
            ),
            "a set runs no commands, and this one has 'reboot'",
        ),
        (
            ROW.format(name="one", measure="disk.dd", more='metric = "disk.dd.bandwidth"'),
            "needs a budget for its metric",
        ),
        (ROW.format(name="one", measure="disk.dd", more='budget = "<= 3 s"'), "needs a metric"),
    ],
)
def test_a_set_that_is_wrong_is_refused(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        set_items(written(tmp_path, row))
    assert said in str(raised.value)
