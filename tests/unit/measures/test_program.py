# SPDX-License-Identifier: Apache-2.0
"""The measure of a command: its script, and how the command may end."""

import subprocess

import pytest

from perfboard.bench.job import BoardFailed, NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.measures.catalogue import get_measure
from tests.support.measures import job_of, read


def test_it_is_a_shell_command_without_input() -> None:
    job = job_of("program", {"command": "cat && echo 'it'\"'s\"", "packages": "bc lua5.4"}, EXACT)
    assert job.packages == ("bc", "lua5.4")
    # As the probe runs the words that follow its own.
    script = 'probe() { shift 3; "$@"; }\nPROBE=probe\n' + job.script.replace("> /dev/null", "")
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, timeout=20, input="a console's"
    )
    assert done.stdout.startswith("it's\n@time program\n")


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
        read("program", f"@time program\n2000000000 500000 500000 1024 {status} 0\n")


def test_a_command_of_ones_own_is_asked_for() -> None:
    with pytest.raises(NotMeasurable, match="wants a command"):
        job_of("program", {})
    assert list(get_measure("program").commands({"command": "bc"})) == ["bc"]
