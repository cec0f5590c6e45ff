# SPDX-License-Identifier: Apache-2.0
"""A bisection by git, in a work tree of its own: the user's is not touched."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from perfboard.host.files.scratch import REPOSITORY, WORK_TREE, scratch_folder
from perfboard.host.programs.children import run
from perfboard.model.commit import Commit
from perfboard.model.errors import EnvironmentLacksError, UsageError

_FIRST = re.compile(r"^([0-9a-f]{40,64}) is the first (?:bad|new) commit$", re.MULTILINE)
_LEFT = re.compile(r"^Bisecting: (\d+) revisions? left .*\(roughly (\d+) steps?\)", re.MULTILINE)
_ONLY_SKIPPED = "There are only 'skip'ped commits left to test."


@dataclass(frozen=True)
class GitStep:
    """How many steps are `left`, about; or the `first` bad commits: one if git knows it."""

    left: int = 0
    first: tuple[str, ...] = ()


class WorkTree:
    """A work tree of a repository, in the folder `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def check_out(self, commit: str) -> None:
        """Makes the files those of `commit`; files that git does not know stay."""
        _git(self.path, "checkout", "--quiet", "--force", "--detach", commit)

    def head(self) -> str:
        """The hash of the commit that is checked out."""
        return _git(self.path, "rev-parse", "HEAD").strip()

    def describe(self, commit: str) -> Commit:
        """The commit of that hash."""
        words = _git(self.path, "show", "--no-patch", "--format=%H%n%h%n%s", commit)
        hash, short, subject = words.split("\n")[:3]
        return Commit(hash, short, subject)

    def parents(self, commit: str) -> tuple[str, ...]:
        """The hashes of its parents."""
        return tuple(_git(self.path, "rev-parse", f"{commit}^@").split())

    def bisect(self, *words: str) -> GitStep:
        """`git bisect WORDS`, which checks out the commit that is to be tried next."""
        output = _git(self.path, "bisect", *words, codes=(0, 2))
        if found := _FIRST.search(output):
            return GitStep(first=(found[1],))
        if _ONLY_SKIPPED in output:
            return GitStep(first=tuple(re.findall(r"^[0-9a-f]{40,64}$", output, re.MULTILINE)))
        left = _LEFT.search(output)
        return GitStep(left=int(left[2]) + 1 if left else 1)


def commit_of(repository: Path, name: str) -> str:
    """The hash of the commit that the user means. Raises UsageError if there is none."""
    try:
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return _git(repository, *words).strip()
    except UsageError as error:
        raise UsageError(f"{name}: is no commit of the git repository {repository}") from error


@contextmanager
def work_tree(repository: Path, commit: str) -> Iterator[WorkTree]:
    """A private work tree of the repository at `commit`, removed at the end.

    It lies in the temporary folder, and needs room there for what is built in it. If this
    process is killed, the next command removes it (`scratch.sweep`). Raises UsageError for a folder
    that is in no repository.
    """
    with scratch_folder() as scratch:
        path = scratch / WORK_TREE
        kept = _git(repository, "rev-parse", "--git-common-dir").strip()
        (scratch / REPOSITORY).symlink_to((repository / kept).absolute())
        _git(repository, "worktree", "add", "--quiet", "--detach", str(path), commit)
        try:
            yield WorkTree(path)
        finally:
            _git(repository, "worktree", "remove", "--force", str(path))


def _git(folder: Path, *words: str, codes: tuple[int, ...] = (0,)) -> str:
    # Inside a hook, git's own variables name another repository.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = run(["git", "-C", str(folder), *words], environment={**kept, "LC_ALL": "C"})
    except FileNotFoundError as error:
        raise EnvironmentLacksError("there is no git on this machine; install it") from error
    if done.returncode not in codes:
        reason = (done.stderr or done.stdout).strip()
        raise UsageError(f"`git {' '.join(words[:2])}` in {folder} failed: {reason}")
    return done.stdout
