# SPDX-License-Identifier: Apache-2.0
"""A program of Debian's on a display of this machine."""

import os
import shutil
import signal
import time
from pathlib import Path

import psutil
import pytest

from perfboard.binaries.probe import find_binary
from perfboard.model.progress import SilentProgress
from tests.support.runs import result_of

from ..conftest import Perfboard

NEEDED = {"Xvfb": "xvfb", "matchbox-window-manager": "matchbox-window-manager", "dillo": "dillo"}
MISSING = sorted(package for name, package in NEEDED.items() if not shutil.which(name))
PROFILE = """
schema = "perfboard.profile/1"
[profile]
name = "box"
device = "A box with a browser"
for = "a test"
[[key_issue]]
name = "start"
question = "Does the browser start?"
measure = "app.start"
metric = "app.start.time"
parameters = { program = "dillo", quiet_ms = 250 }
budget = "<= 20 s"
"""
PAGE = """
[[key_issue]]
name = "page"
question = "Does it load a page?"
measure = "page.load"
metric = "page.load.time"
labels = { cache = "first" }
parameters = { program = "dillo", quiet_ms = 150 }
budget = "<= 20 s"
"""
TOOLKIT = """
[[key_issue]]
name = "input"
question = "Does a button hear of its input?"
measure = "toolkit"
metric = "toolkit.input.time"
labels = { run = "rest" }
parameters = { toolkit = "xaw", quiet_ms = 100 }
budget = "<= 1 ms"
"""


def test_a_browser_on_a_board_pays_for_no_look(tmp_path: Path, trials: None) -> None:
    find_binary("armv7", SilentProgress(), "display")
    path = tmp_path / "box.toml"
    path.write_text(PROFILE)
    run = Perfboard(tmp_path / "data").json("choose", str(path), "--board", "rpi2")
    result = result_of(run, "profile")
    assert result["outcome"] == "pass"
    metrics = {(m["name"], m["labels"].get("of")): m["samples"] for m in run["metrics"]}
    (first,), (final,), (started,), (cold,), (look,) = (
        metrics[f"app.start.{name}", None] for name in ("first", "final", "time", "cold", "look")
    )
    assert 0 < first <= final <= started
    # A first start reads the program from the card.
    assert cold > started + 0.05
    assert look < 0.0003 and metrics["app.start.watcher", None][0] < 0.02
    (measurement,) = result_of(run, "measures")["measurements"]
    (film,) = (block for block in measurement["blocks"] if block["kind"] == "film")
    moments = ["first", "half", "final", "stable"]
    assert [picture["moment"] for picture in film["pictures"]] == moments
    # The scope's record of the screen is large.
    assert not list(tmp_path.rglob("screen.bin"))


def test_a_window_on_a_board_is_made_used_and_destroyed(tmp_path: Path, trials: None) -> None:
    path = tmp_path / "box.toml"
    path.write_text(PROFILE.partition("[[key_issue]]")[0] + TOOLKIT)
    run = Perfboard(tmp_path / "data").json("choose", str(path), "--board", "rpi2")
    assert result_of(run, "profile")["outcome"] == "pass"
    samples = {(m["name"], m["labels"].get("run")): m["samples"] for m in run["metrics"]}
    for step in ("window", "screen", "draw", "redraw", "input", "unhandled", "destroy"):
        first, rest = (samples[f"toolkit.{step}.time", one] for one in ("first", "rest"))
        assert len(first) == 1 and len(rest) == 3
        # The board is the same each time: a few microseconds lie between two rounds, and how many
        # depends on where the kernel's code lies.
        assert min(rest) > 0 and max(rest) < 1.1 * min(rest) + 10e-6
    # Each of its 40 widgets is made, and then drawn.
    assert 0 < samples["toolkit.screen.time", "rest"][0] < samples["toolkit.draw.time", "rest"][0]


@pytest.mark.skipif(bool(MISSING), reason=f"needs Debian's {', '.join(MISSING)}")
def test_a_browser_starts_on_a_display_and_leaves_nothing(
    tmp_path: Path, probe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    path = tmp_path / "box.toml"
    path.write_text(PROFILE + PAGE)
    board = Perfboard(tmp_path / "data")
    run = board.json("choose", str(path), "--target", "local")
    assert result_of(run, "profile")["outcome"] == "pass"
    metrics = {(m["name"], m["labels"].get("of")): m["samples"] for m in run["metrics"]}
    pages = [m["samples"] for m in run["metrics"] if m["name"] == "page.load.time"]
    assert len(pages) == 3 and all(len(samples) >= 9 for samples in pages)
    started = metrics["app.start.time", None]
    assert len(started) >= 9
    for first, final, last in zip(
        metrics["app.start.first", None], metrics["app.start.final", None], started, strict=True
    ):
        assert 0 < first <= final <= last
    assert all(size > 1e6 for size in metrics["app.memory.rss", "server"])
    assert len(metrics["app.memory.free", None]) == len(metrics["page.memory.free", None]) == 10
    # Only root may drop the caches.
    why_not = [note for note in run["provenance"]["notes"] if "app.start.cold" in note]
    assert len(metrics.get(("app.start.cold", None), ())) >= 9 or why_not
    # They had their folder there.
    assert not list(tmp_path.glob("perfboard-*"))
    assert not [
        each for each in psutil.process_iter(["cwd"]) if str(tmp_path) in (each.info["cwd"] or "")
    ]


@pytest.mark.skipif(bool(MISSING), reason=f"needs Debian's {', '.join(MISSING)}")
def test_a_program_that_crashes_is_told_and_leaves_nothing(
    tmp_path: Path, probe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dillo").write_text("#!/bin/sh\necho no style\nkill -SEGV $$\n")
    (tmp_path / "dillo").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    path = tmp_path / "box.toml"
    path.write_text(PROFILE)
    done = Perfboard(tmp_path / "data")("choose", str(path), "--target", "local", code=5)
    said = " ".join(done.stdout.split())
    assert "dillo was ended by signal 11 (Segmentation fault): no style" in said
    assert not below(tmp_path) and not list(tmp_path.glob("perfboard-*"))


def below(folder: Path, name: str = "") -> list[psutil.Process]:
    """The processes of that name that work in the folder."""
    return [
        each
        for each in psutil.process_iter(["cwd", "name"])
        if str(folder) in (each.info["cwd"] or "") and name in each.info["name"]
    ]


@pytest.mark.skipif(bool(MISSING), reason=f"needs Debian's {', '.join(MISSING)}")
def test_two_runs_at_once_that_are_interrupted_leave_nothing(
    tmp_path: Path, probe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, control = tmp_path / "user" / ".dillo" / "dillorc", tmp_path / "control"
    settings.parent.mkdir(parents=True)
    for file in (settings, control):
        file.write_text("geometry=100x100\n")
        # A file system that notes when a file was read first notes it for one as old as that.
        os.utime(file, (1, 2))
    control.read_text()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv(
        "XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    )
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    path = tmp_path / "box.toml"
    path.write_text(PROFILE)
    runs = [Perfboard(tmp_path / name) for name in ("first", "second")]
    both = [run.start("choose", str(path), "--target", "local") for run in runs]
    deadline = time.monotonic() + 120
    while len(found := below(tmp_path, "matchbox")) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    displays = {one.environ()["DISPLAY"] for one in found}
    homes = {one.environ()["HOME"] for one in found}
    for process in both:
        process.send_signal(signal.SIGINT)
    said = [process.communicate(timeout=60) for process in both]
    assert len(found) == 2, said
    assert len(displays) == len(homes) == 2 and str(tmp_path / "user") not in homes
    deadline = time.monotonic() + 20
    while below(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not below(tmp_path) and not list(tmp_path.glob("perfboard-*"))
    assert [each.name for each in (tmp_path / "user").rglob("*")] == [".dillo", "dillorc"]
    if control.stat().st_atime > 2:
        assert settings.stat().st_atime == 1
