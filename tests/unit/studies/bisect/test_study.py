# SPDX-License-Identifier: Apache-2.0
"""The commit that made a board slower, found in a small repository by a fake board."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from perfboard.analysis.gate.change import Rules
from perfboard.analysis.gate.culprit import Culprit
from perfboard.host.files.scratch import sweep
from perfboard.model.errors import BuildError, TargetError, UsageError
from perfboard.model.progress import SilentProgress
from perfboard.model.run import Run
from perfboard.report.gate.bisect import bisect_text
from perfboard.studies.bisect.study import bisect
from tests.support.killed import has_ended, kill_at_work, soon
from tests.support.runs import make_boot, make_run

# The image is what the source says; a source "broken" does not build.
BUILD = (
    sys.executable,
    "-c",
    "import pathlib; text = pathlib.Path('source').read_text(); "
    "assert text != 'broken', 'it is broken'; pathlib.Path('image').write_text(text)",
)


def measure(tags: Mapping[str, str]) -> Run:
    """A board whose user space waits for as many ms as the image says."""
    text = Path("image").read_text()
    if text == "panic":
        raise TargetError("panic", "The kernel panicked.")
    boot = make_boot({"exec:S20devices": int(text) * 1_000_000})
    return make_run(f"run-{text}", boots=(boot,))


def git(folder: Path, *words: str) -> str:
    user = ("-c", "user.name=A", "-c", "user.email=a@b.invalid")
    return subprocess.run(
        ["git", "-C", str(folder), *user, *words], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Path]:
    """A repository of a commit for each content of its one file."""

    def make(*contents: str) -> Path:
        folder = tmp_path / "repository"
        folder.mkdir()
        git(folder, "init", "--quiet", "--initial-branch=main")
        for number, content in enumerate(contents):
            (folder / "source").write_text(content)
            git(folder, "add", "source")
            git(folder, "commit", "--quiet", "--allow-empty", "-m", f"change {number}")
            git(folder, "tag", f"c{number}")
        return folder

    return make


@pytest.fixture(autouse=True)
def own_scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def find(
    folder: Path, good: str, bad: str, measured: Callable[[Mapping[str, str]], Run] = measure
) -> Culprit:
    return bisect(folder, (good, bad), BUILD, measured, Rules(), SilentProgress())


def test_the_commit_is_found_and_what_it_did_is_named(repository: Callable[..., Path]) -> None:
    # The small slip of change 2 is no change: change 6 is the one.
    folder = repository("0", "0", "10", "10", "10", "10", "100", "100", "100")
    found = find(folder, "c0", "main")
    assert [commit.subject for commit in found.first] == ["change 6"]
    assert found.judgement is not None
    assert [(cause.kind, cause.name) for cause in found.judgement.causes] == [
        ("phase", "boot.userspace"),
        ("step", "boot.userspace.filesystems"),
    ]
    # Two ends, and three of the seven between them.
    assert len(found.tried) == 5
    said = bisect_text(found)
    assert "is the first bad commit: change 6" in said
    assert "WORSE: boot.total rose by 90.00 ms" in said


def test_commits_that_cannot_be_tried_are_skipped(repository: Callable[..., Path]) -> None:
    folder = repository("0", "0", "broken", "panic", "100", "100")
    found = find(folder, "c0", "c5")
    assert {commit.subject for commit in found.first} == {"change 2", "change 3", "change 4"}
    skipped = {each.commit.subject: each.reason for each in found.tried if each.verdict == "skip"}
    assert skipped.keys() == {"change 2", "change 3"}
    assert "it is broken" in skipped["change 2"]
    assert "One of these is the first bad commit" in bisect_text(found)


def test_the_users_work_is_not_touched(repository: Callable[..., Path], own_scratch: Path) -> None:
    folder = repository("0", "0", "100")
    (folder / "source").write_text("my edit")
    before = git(folder, "status", "--porcelain"), git(folder, "for-each-ref")
    find(folder, "c0", "c2")
    assert (git(folder, "status", "--porcelain"), git(folder, "for-each-ref")) == before
    assert len(git(folder, "worktree", "list").splitlines()) == 1
    assert list(own_scratch.iterdir()) == []


def test_an_interrupt_cleans_up(repository: Callable[..., Path], own_scratch: Path) -> None:
    folder = repository("0", "0", "100")

    def interrupted(tags: Mapping[str, str]) -> Run:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find(folder, "c0", "c2", interrupted)
    assert len(git(folder, "worktree", "list").splitlines()) == 1
    assert list(own_scratch.iterdir()) == []


def test_what_cannot_be_bisected_is_refused(
    repository: Callable[..., Path], tmp_path: Path
) -> None:
    folder = repository("0", "0", "100", "broken")
    for good, bad, words in (
        ("c0", "c1", "c1 is not worse than c0"),
        ("c2", "c0", "c0 is not worse than c2"),
        ("nosuch", "c1", "nosuch: is no commit"),
        ("--help", "c1", "--help: is no commit"),
    ):
        with pytest.raises(UsageError, match=words):
            find(folder, good, bad)
    with pytest.raises(BuildError, match=r"(?s)ended with 1 at commit .*it is broken"):
        find(folder, "c0", "c3")
    with pytest.raises(UsageError, match="is no commit of the git repository"):
        find(tmp_path, "c0", "c1")


KILLED = """
import sys
from pathlib import Path
from perfboard.analysis.gate.change import Rules
from perfboard.model.progress import SilentProgress
from perfboard.studies.bisect.study import bisect
build = ("sh", "-c", "sleep 600 & echo $! > child.new; mv child.new child; wait")
bisect(Path(sys.argv[1]), ("c0", "c1"), build, None, Rules(), SilentProgress())
"""


def test_if_it_is_killed_the_build_ends_and_the_next_command_prunes(
    repository: Callable[..., Path], own_scratch: Path
) -> None:
    folder = repository("0", "100")
    git(folder, "worktree", "add", "--quiet", "--detach", str(folder.parent / "theirs"))
    child = kill_at_work(KILLED, str(folder), number=lambda: begun(own_scratch))
    assert soon(lambda: has_ended(child))
    (scratch,) = own_scratch.iterdir()
    assert str(scratch) in git(folder, "worktree", "list")
    sweep()
    assert list(own_scratch.iterdir()) == []
    # The user's own stays.
    assert len(git(folder, "worktree", "list").splitlines()) == 2


def begun(scratch: Path) -> str:
    """The process that the build has begun, or ""."""
    return "".join(path.read_text() for path in scratch.glob("*/tree/child"))
