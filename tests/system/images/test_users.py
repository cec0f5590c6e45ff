# SPDX-License-Identifier: Apache-2.0
"""Two users get the same images and the same boot, each from a cache of their own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perfboard.host.cache.cache import cache_root, hash_file
from perfboard.images.image import Image
from tests.support.rich_boards import rich_board
from tests.support.users import AS_ROOT, HABITS, NOBODY, common_folder

from ..conftest import COUNTED, Perfboard

# Kernels, and what is fetched or takes a compiler long.
_SHARED = ("kernel", "package", "probe", "scope")
# It may read what is root's, such as Python and these, and is another user in all else.
_AS_NOBODY = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
    *("sh", "-c", 'umask 077; exec "$@"', "sh"),
)
# The packages' tree and a job's image, of rpi2; the first argument is its board file.
_BUILD = """
import sys
from pathlib import Path
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.images.program.base import ProgramJob, build_trial_base, write_job
from perfboard.model.progress import SilentProgress

board, place = sys.argv[1], Path(sys.argv[2])
variant = choose(load_board(board), {"features": "none"})
program = place / "program"
program.write_text("#!/bin/sh")
program.chmod(0o777 & ~int(sys.argv[3], 0))
job = ProgramJob(("./program", "a"), files=(program,))
base = build_trial_base(variant, job, SilentProgress())
(place / "packages.squashfs").write_bytes(base.root.image.read_bytes())
write_job(job, variant.board, place / "job.squashfs")
"""


class User:
    """One of them, with a cache in which only kernels and what is fetched is there."""

    def __init__(self, folder: Path, words: tuple[str, ...], habits: dict[str, str]) -> None:
        self._folder, self._mask = folder, "0o077" if words else "0o022"
        cache = folder / "cache" / "perfboard"
        cache.mkdir(parents=True)
        for kind in _SHARED:
            (cache / kind).symlink_to(cache_root() / kind)
        for state in (cache_root() / "apt").iterdir():
            # The lists of one architecture are enough to put packages together.
            if state.name == "armhf":
                shutil.copytree(state, cache / "apt" / state.name)
            elif (state / "resolved.json").exists():
                (cache / "apt" / state.name).mkdir(parents=True)
                shutil.copy2(state / "resolved.json", cache / "apt" / state.name)
            else:
                continue
            shutil.copy2(state.with_suffix(".jsonl"), cache / "apt")
        if words:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        self.perfboard = Perfboard(folder / "data")
        self.perfboard.wrapper = list(words)
        self.perfboard.environment |= {**habits, "XDG_CACHE_HOME": str(cache.parent)}

    def boot(self) -> tuple[dict[str, Any], dict[str, str]]:
        """The record of a boot of verdex, and the hashes of what it was made of and from."""
        words = ("study", "boot", "--board", "verdex", "--boots", "1", *COUNTED)
        run = self.perfboard.json(*words)
        record = run["results"][0]["boots"][0] | {"host_seconds": None}
        artifacts = self.perfboard.artifact(run, "boot-1")
        files = {name: hash_file(artifacts / name) for name in ("console.log", "scope.jsonl")}
        return record, {**files, **run["provenance"]["image"]}

    def images(self) -> list[bytes]:
        """The root file system of packages, and a job's."""
        given = (rich_board("rpi2"), str(self._folder), self._mask)
        command = [*self.perfboard.wrapper, sys.executable, "-c", _BUILD, *given]
        subprocess.run(command, env=self.perfboard.environment, check=True)
        return [(self._folder / f"{n}.squashfs").read_bytes() for n in ("packages", "job")]


@pytest.fixture(scope="module")
def users(image: Image, trials: None) -> Iterator[tuple[User, User]]:
    with common_folder() as common:
        nobodys = HABITS | {"PATH": f"/usr/sbin:/sbin:{os.environ['PATH']}"}
        # The second has a longer path.
        (common / "another's").mkdir(mode=0o755)
        yield User(common / "ours", (), {}), User(common / "another's/own", _AS_NOBODY, nobodys)


@AS_ROOT
def test_the_packages_and_a_job_are_the_same(users: tuple[User, User]) -> None:
    ours, theirs = (user.images() for user in users)
    assert ours == theirs


@AS_ROOT
def test_the_images_and_the_boot_are_the_same(users: tuple[User, User]) -> None:
    ours, theirs = (user.boot() for user in users)
    assert json.dumps(ours[0]) == json.dumps(theirs[0])
    assert ours[1] == theirs[1]
