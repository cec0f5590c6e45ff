# SPDX-License-Identifier: Apache-2.0
"""A tune whose tries are made by Dask's workers, each with a cache of its own, as on machines."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from perfboard.host.cache.manifest import NAME
from tests.support.runs import result_of

from ..conftest import Perfboard, build_for_trials, until
from .test_study import booted, counted, own_cache

distributed = pytest.importorskip("distributed")
ROOM = """
schema = "perfboard.profile/2"
[profile]
name = "box"
device = "A box"
for = "a test"
[[key_issue]]
name = "memory"
question = "Is there room?"
measure = "memory.free"
metric = "system.ram.available"
labels = { by = "free+cache" }
budget = ">= 64 MB"
"""
# Starts a worker by its name; its process, and its folder of boots.
Start = Callable[..., tuple[subprocess.Popen[bytes], Path]]


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler without workers."""
    with distributed.LocalCluster(
        n_workers=0, dashboard_address=None, local_directory=str(tmp_path), scheduler_port=0
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def start(tmp_path: Path, scheduler: str) -> Iterator[Start]:
    """Workers with one thread, whose kernels and packages are the user's."""
    with ExitStack() as stack:

        def start(name: str, **environment: str) -> tuple[subprocess.Popen[bytes], Path]:
            folder = tmp_path / name
            worker = Perfboard(folder / "data")
            boots = own_cache(worker, folder)
            words = ["-m", "distributed.cli.dask_worker", scheduler, "--nthreads", "1"]
            words += ["--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
            process = subprocess.Popen(
                [sys.executable, *words],
                env={**worker.environment, **environment},
                stderr=(folder / "log").open("wb"),
            )
            stack.callback(process.wait, 60)
            stack.callback(process.kill)
            return process, boots

        yield start


def images(boots: Path) -> set[str]:
    """The images of the boots in a cache, by the hashes of their flash."""
    lines = ((entry / NAME).read_text().partition("\n")[0] for entry in booted(boots))
    inputs = (json.loads(line)["inputs"] for line in lines)
    return {each["image bank0"] + each["image bank1"] for each in inputs}


def kept(boots: Path) -> set[str]:
    """The images of the tries that came back to the machine with that cache."""
    made = (boots.parent / "try").glob("*/result.json")
    whole = [file for file in made if not file.parent.name.endswith(".unfinished")]
    hashes = [json.loads(file.read_text())["hashes"] for file in whole]
    return {each["bank0"] + each["bank1"] for each in hashes}


# No two combinations of these have the same image.
WORDS = counted("verdex", "console", "copy", "order")


def test_a_worker_that_is_killed_loses_no_boot_that_has_ended(
    perfboard: Perfboard, tmp_path: Path, scheduler: str, start: Start
) -> None:
    here = own_cache(perfboard, tmp_path)
    (first, boots), (_, others) = start("first"), start("second")
    process = perfboard.start(*WORDS, "--scheduler", scheduler)
    until(lambda: images(boots) & kept(here))
    first.kill()
    first.wait()
    run = perfboard.finish(process, 0)
    assert run["status"] == "complete"
    tuning = result_of(run, "tune")
    # One level of these needs another's that is not varied.
    left = [one for one in tuning["tries"] if one["outcome"] != "booted"]
    assert [one["levels"] for one in left] == [{"order": "functions"}]
    assert tuning["exhaustive"]
    # The killed worker had one thread. Its last boot alone is made again: if that did not come
    # back, or so late that the scheduler still held it.
    again = images(boots) & images(others)
    assert len(again) <= 1
    assert images(boots) | images(others) == kept(here)
    assert len(kept(here)) == len(tuning["tries"]) - len(left)


def test_a_sweep_that_is_made_again_takes_the_boots_that_came_back(
    perfboard: Perfboard, tmp_path: Path, scheduler: str, start: Start
) -> None:
    here = own_cache(perfboard, tmp_path)
    worker, _ = start("first")
    words = counted("verdex", "console", "copy")
    process = perfboard.start(*words, "--scheduler", scheduler)
    until(lambda: kept(here))
    process.terminate()
    run = perfboard.finish(process, 130)
    assert run["status"] == "aborted"
    before = kept(here)
    worker.kill()
    worker.wait()
    _, others = start("second")
    whole = perfboard.json(*words, "--scheduler", scheduler)
    assert whole["status"] == "complete"
    assert not images(others) & before
    assert images(others) | before == kept(here)
    assert len(kept(here)) == len(result_of(whole, "tune")["tries"])


def test_the_boards_of_a_choice_are_measured_by_workers(
    perfboard: Perfboard, tmp_path: Path, scheduler: str, start: Start
) -> None:
    build_for_trials("rpi2")
    start("first")
    (path := tmp_path / "box.toml").write_text(ROOM)
    boards = ("--board", "rpi2", "--board", "orangepi-pc")
    found = perfboard.json("choose", str(path), *boards, "--scheduler", scheduler)
    assert sorted(found["right"]) == ["orangepi-pc", "rpi2"]
    for each in found["boards"]:
        # The runs are kept here, and say where they were made.
        run = perfboard.json("show", each["run"])
        assert any("on another machine" in note for note in run["provenance"]["notes"])
        assert result_of(run, "profile")["outcome"] == "pass"


def test_a_worker_with_another_emulator_is_refused(
    perfboard: Perfboard, tmp_path: Path, scheduler: str, start: Start
) -> None:
    own_cache(perfboard, tmp_path)
    other = tmp_path / "bin" / "qemu-system-arm"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho QEMU emulator version 9.9.9\n")
    other.chmod(0o755)
    start("first", PATH=f"{other.parent}:{os.environ['PATH']}")
    done = perfboard(*counted("verdex", "console"), "--scheduler", scheduler, code=3)
    said = " ".join(done.stdout.split())
    assert "has qemu-system-arm 9.9.9, not" in said
    assert "Install the same there" in said


def test_a_worker_without_perfboard_is_refused(
    perfboard: Perfboard, tmp_path: Path, scheduler: str
) -> None:
    own_cache(perfboard, tmp_path)
    # Without `site` the packages are found by their folder alone, and not by what points elsewhere.
    folder = str(Path(distributed.__file__).parents[1])
    words = ["-S", "-m", "distributed.cli.dask_worker", scheduler, "--no-nanny", "--no-dashboard"]
    log = tmp_path / "log"
    with log.open("wb") as file:
        worker = subprocess.Popen(
            [sys.executable, *words, "--local-directory", str(tmp_path)],
            env={**os.environ, "PYTHONPATH": folder},
            stderr=file,
        )
    try:
        until(lambda: b"Registered to" in log.read_bytes())
        done = perfboard(*counted("verdex", "console"), "--scheduler", scheduler, code=3)
    finally:
        worker.kill()
        worker.wait(60)
    said = " ".join(done.stdout.split())
    assert "Dask's worker tcp" in said
    assert "no Perfboard in the Python that runs it" in said


def test_a_scheduler_that_is_not_there(perfboard: Perfboard) -> None:
    words = counted("verdex", "console")
    done = perfboard(*words, "--scheduler", "tcp://127.0.0.1:9", code=3)
    text = " ".join((done.stderr + done.stdout).split())
    assert "there is no Dask scheduler at tcp://127.0.0.1:9" in text
