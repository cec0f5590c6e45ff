# SPDX-License-Identifier: Apache-2.0
"""The measure of a command: its script, and how the command may end."""

import subprocess

import pytest

from perfboard.bench.job import BoardFailed, NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.measures.catalogue import get_measure
from perfboard.measures.reading import example_time
from tests.support.measures import job_of, read


def test_it_is_a_shell_command_without_input() -> None:
    job = job_of("program", {"command": "cat && echo 'it'\"'s\"", "packages": "bc lua5.4"}, EXACT)
    assert job.packages == ("bc", "lua5.4")
    # As the probe runs the words that follow its own.
    script = 'probe() { shift 4; "$@"; }\nPROBE=probe\n' + job.script.replace("> /dev/null", "")
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, timeout=20, input="a console's"
    )
    assert done.stdout.startswith("it's\n")


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (127, NotMeasurable, "names a program that is not there"),
        (139, BoardFailed, "ended the command"),
    ],
)
def test_what_did_not_run_to_its_end_has_no_time(
    status: int, error: type[NotMeasurable], said: str
) -> None:
    with pytest.raises(error, match=said):
        read("program", example_time("program", 2 * 10**9, 1_000_000, status=status))


def test_a_command_of_ones_own_is_asked_for() -> None:
    with pytest.raises(NotMeasurable, match="wants a command"):
        job_of("program", {})
    assert list(get_measure("program").commands({"command": "bc"})) == ["bc"]
