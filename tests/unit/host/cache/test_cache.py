# SPDX-License-Identifier: Apache-2.0
"""The build cache: whole entries only, whoever builds and however it ends."""

import errno
import json
import multiprocessing
import os
import shutil
import signal
from pathlib import Path
from typing import NoReturn

import pytest

from perfboard.host.cache.cache import cache_root, cached, hash_file, hash_tree
from perfboard.host.cache.manifest import NAME
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress

INPUTS = {"source": "1", "compiler": "2"}


def write_a(folder: Path) -> None:
    (folder / "a").write_text("whole")


def never(folder: Path) -> NoReturn:
    raise AssertionError(f"built again in {folder}")


def test_built_once_and_found_again() -> None:
    entry = cached("kind", INPUTS, write_a, SilentProgress())
    assert (entry / "a").read_text() == "whole"
    again = cached("kind", dict(reversed(INPUTS.items())), never, SilentProgress())
    assert again == entry


def test_the_manifest_says_what_went_in() -> None:
    entry = cached("kernel", INPUTS, write_a, SilentProgress())
    assert json.loads((entry / NAME).read_text().splitlines()[0])["inputs"] == INPUTS


def test_other_inputs_or_another_kind_are_another_entry() -> None:
    entries = {
        cached("kind", INPUTS, write_a, SilentProgress()),
        cached("kind", {**INPUTS, "source": "2"}, write_a, SilentProgress()),
        cached("other", INPUTS, write_a, SilentProgress()),
    }
    assert len(entries) == 3


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_build_that_is_cut_off_leaves_nothing(error: type[BaseException]) -> None:
    def cut_off(folder: Path) -> None:
        write_a(folder)
        raise error

    with pytest.raises(error):
        cached("kind", INPUTS, cut_off, SilentProgress())
    assert list((cache_root() / "kind").iterdir()) == []
    assert (cached("kind", INPUTS, write_a, SilentProgress()) / "a").exists()


def _die_building(inputs: dict[str, str]) -> None:
    def die(folder: Path) -> None:
        write_a(folder)
        os.kill(os.getpid(), signal.SIGKILL)

    cached("kind", inputs, die, SilentProgress())


def test_a_builder_that_is_killed_leaves_no_entry_and_is_swept_up_after() -> None:
    process = multiprocessing.get_context("fork").Process(target=_die_building, args=(INPUTS,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    (left,) = (cache_root() / "kind").iterdir()
    assert left.name.endswith(".unfinished")
    other = cached("kind", {"quite": "other"}, write_a, SilentProgress())
    assert list((cache_root() / "kind").iterdir()) == [other]


def test_a_living_builder_is_not_swept() -> None:
    def outer(folder: Path) -> None:
        write_a(folder)
        cached("kind", {"inner": "1"}, write_a, SilentProgress())
        assert (folder / "a").exists()

    cached("kind", INPUTS, outer, SilentProgress())


def _build_counting(counter: str, start: "multiprocessing.synchronize.Event") -> None:
    def build(folder: Path) -> None:
        with Path(counter).open("a") as file:
            file.write("x")
        for number in range(200):
            (folder / str(number)).write_text("x")

    start.wait()
    entry = cached("kind", INPUTS, build, SilentProgress())
    assert len(list(entry.iterdir())) == 201


def test_builders_at_once_build_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    start = context.Event()
    arguments = (str(tmp_path / "counter"), start)
    processes = [context.Process(target=_build_counting, args=arguments) for _ in range(4)]
    for process in processes:
        process.start()
    start.set()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    assert (tmp_path / "counter").read_text() == "x"


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a")


COMPILER = EnvironmentLacksError(f"a.c does not compile here:\n{os.strerror(errno.ENOSPC)}")


@pytest.mark.parametrize("error", [FULL, shutil.Error([("from", "to", str(FULL))]), COMPILER])
def test_a_full_disk_is_told_with_the_way_out(error: Exception) -> None:
    def fill(folder: Path) -> None:
        raise error

    with pytest.raises(EnvironmentLacksError, match=r"no room left.*XDG_CACHE_HOME"):
        cached("kind", INPUTS, fill, SilentProgress())
    assert list((cache_root() / "kind").iterdir()) == []


def test_hashes_depend_on_names_and_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    (folder / "in").mkdir(parents=True)
    (folder / "in" / "a").write_text("1")
    first = hash_tree(folder)
    (folder / "in" / "a").write_text("2")
    second = hash_tree(folder)
    (folder / "in" / "a").rename(folder / "a")
    assert len({first, second, hash_tree(folder)}) == 3
    assert hash_file(folder / "a") == (
        "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35"
    )
