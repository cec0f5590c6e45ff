# SPDX-License-Identifier: Apache-2.0
"""What is said where a target lacks a program, or its memory ended."""

import os
import subprocess
from pathlib import Path

import pytest

from perfboard.bench.job import Job, NotMeasurable
from perfboard.bench.outcome import killed_in
from perfboard.bench.script import ended, whole_script
from tests.support.saying import saying_probe

# Of Linux 6.12: mm/oom_kill.c.
CONSOLE = """\
[   21.5] sylpheed invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE), order=0
[   21.6] Out of memory: Killed process 91 (Xvfb) total-vm:26400kB, anon-rss:5120kB
[   23.1] Out of memory: Killed process 95 (sylpheed) total-vm:60020kB, anon-rss:9120kB
[   23.2] Out of memory: Killed process 96 (sylpheed) total-vm:60020kB, anon-rss:9120kB
"""


def test_who_was_killed_is_read_off_the_console() -> None:
    assert killed_in(CONSOLE) == "Xvfb and sylpheed"
    assert killed_in("quiet\n") == "a program"
    assert "\x1b" not in killed_in("Killed process 7 (\x1b[2J)")


@pytest.mark.parametrize(
    ("packages", "how"), [(("xvfb", "dillo"), "on Debian, install xvfb dillo"), ((), "install it")]
)
def test_a_target_is_told_all_that_it_lacks(
    packages: tuple[str, ...], how: str, tmp_path: Path
) -> None:
    job = Job("echo measured", programs=("no-such-a", "sh", "no-such-b"), packages=packages)
    done = subprocess.run(
        ["sh", "-c", whole_script(job)],
        env={**os.environ, "PROBE": saying_probe(tmp_path / "probe")},
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    with pytest.raises(NotMeasurable) as caught:
        ended(job, done.stdout, done.stderr, done.returncode)
    assert str(caught.value) == f"the target has no no-such-a and no no-such-b; {how} there"


def test_a_script_runs_where_its_programs_are() -> None:
    for programs in (("sh", "env"), ()):
        line = ["sh", "-c", whole_script(Job("echo measured", programs=programs))]
        done = subprocess.run(line, capture_output=True, text=True, timeout=20, check=True)
        assert done.stdout == "measured\n"
