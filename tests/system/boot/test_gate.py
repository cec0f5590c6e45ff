# SPDX-License-Identifier: Apache-2.0
"""The CI file of docs/start/ci.md: the lines of its scripts, run as a CI would run them."""

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..conftest import COUNTED, Change, Perfboard

_PAGE = Path(__file__).parents[3] / "docs/start/ci.md"


def lines_of(job: str, part: str) -> str:
    """The lines of a part of a job in the page's CI files."""
    gitlab, github = re.findall(r"```yaml\n(.*?)```", _PAGE.read_text(), re.DOTALL)
    if job == "boot-time":
        (body,) = re.findall(r"(?m)^      - run: \|\n((?: {10}.*\n)+)", github)
        return re.sub(r"(?m)^ {10}", "", body)
    (body,) = re.findall(rf"(?ms)^{job}:\n(.*?)(?=^\S|\Z)", gitlab)
    (lines,) = re.findall(rf"(?m)^  {part}:\n((?:    - .*\n)+)", body)
    return "".join(line[6:] for line in lines.splitlines(keepends=True))


def test_a_planted_slowdown_turns_the_job_red_and_is_named(
    perfboard: Perfboard, derive: Callable[[Change], Path], tmp_path: Path
) -> None:
    board = derive(lambda board: None)
    # Counted boots take less time; the lines are the page's otherwise.
    own = " ".join(["--board", str(board), *COUNTED])
    bin_folder = Path(sys.executable).parent

    def ci(job: str, part: str, commit: str, code: int, **variables: str) -> str:
        done = subprocess.run(
            ["bash", "-ec", lines_of(job, part).replace("--board verdex", own)],
            cwd=tmp_path,
            env={
                **perfboard.environment,
                "PATH": f"{bin_folder}:{perfboard.environment['PATH']}",
                "CI_COMMIT_SHORT_SHA": commit,
                "CI_COMMIT_REF_SLUG": "main",
                "GITHUB_SHA": commit,
                "GITHUB_REF_NAME": "main",
                **variables,
            },
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    assert "FIRST RUN: stored as the baseline" in ci("boot time", "script", "a1", 0)

    derive(lambda board: board["image"]["bootloader"].update(delay=1))
    said = ci("boot time", "script", "a2", 1)
    assert re.search(r"WORSE: boot.total rose by (99\d\.\d ms|1\.0\d\d s)", said), said
    assert re.search(r"phase +boot\.delay", said)
    ci("boot time", "after_script", "a2", 0)
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()  # noqa: S314
    assert suite.get("failures") == "1"

    assert "is now the baseline" in ci(
        "accept the run as the new baseline", "script", "a2", 0, REASON="a wait"
    )
    assert "NOT COMPARED: it is itself the baseline" in perfboard("gate", "commit:a2").stdout

    derive(lambda board: board["image"]["bootloader"].update(delay=2))
    said = ci("boot-time", "run", "a3", 1)
    assert re.search(r"(?m)^::error .*boot\.total rose by", said), said


def _wait(seconds: int, board: dict[str, Any]) -> None:
    board["image"]["bootloader"]["delay"] = seconds


def test_a_bisection_finds_the_commit_that_waits(
    perfboard: Perfboard, derive: Callable[[Change], Path], tmp_path: Path
) -> None:
    board = derive(lambda board: None)
    repository = tmp_path / "repository"
    repository.mkdir()

    def git(*words: str) -> None:
        user = ("-c", "user.name=A", "-c", "user.email=a@b.invalid")
        subprocess.run(["git", "-C", str(repository), *user, *words], check=True)

    git("init", "--quiet")
    # A commit is its bootloader's delay; the command builds the board's file of it.
    for delay in (0, 1, 1):
        derive(partial(_wait, delay))
        (repository / "source.toml").write_text(board.read_text())
        git("add", ".")
        git("commit", "--quiet", "--allow-empty", "-m", f"wait {delay} s")
    perfboard.wrapper = ["env", "-C", str(repository)]
    own = ("--board", "board.toml,detail=counted", "--build", "cp source.toml board.toml")
    said = perfboard("bisect", "HEAD~2", "HEAD", *own).stdout
    assert re.search(r"^\w+ is the first bad commit: wait 1 s\n\nWORSE: boot\.total rose by", said)
    assert re.search(r"phase +boot\.delay", said)
