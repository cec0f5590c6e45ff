# SPDX-License-Identifier: Apache-2.0
"""A tune of verdex from end to end, interrupted, and with what does not boot or fit."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.host.cache.cache import cache_root
from perfboard.images.image import build_image
from perfboard.model.progress import SilentProgress
from tests.support.rich_boards import rich_board
from tests.support.runs import boots_of, result_of
from tests.support.variants import variant_of

from ..conftest import Change, Perfboard, until
from .advice_by_hand import by_hand

Derive = Callable[[Change], Path]
# What each test makes itself. The rest of the cache is the user's, and its locks: without them
# what another builds there meanwhile would be taken for a dead one's, and removed.
_OWN = ("boot", "image", "try")


def own_cache(perfboard: Perfboard, folder: Path) -> Path:
    """A cache without boots, whose kernels and packages are the user's; its folder of boots."""
    mine = folder / "cache" / "perfboard"
    mine.mkdir(parents=True)
    # What is first made while a test runs is the user's too.
    for name in ("flash-read", "kernel-tree", "locks"):
        (cache_root() / name).mkdir(exist_ok=True)
    for entry in cache_root().iterdir():
        if entry.is_dir() and entry.name not in _OWN:
            (mine / entry.name).symlink_to(entry)
    perfboard.environment["XDG_CACHE_HOME"] = str(mine.parent)
    return mine / "boot"


def keep_but(*factors: str) -> list[str]:
    """Options that keep all other factors of verdex as they are."""
    known = factors_of(load_board("verdex").board)
    return [
        word
        for name, factor in known.items()
        if name not in factors and not factor.observes
        for word in ("--keep", f"{name}={factor.default}")
    ]


def booted(boots: Path) -> list[Path]:
    """The boots that are whole."""
    return [entry for entry in boots.glob("*") if entry.suffix != ".unfinished"]


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory, image: object) -> tuple[Perfboard, Path, Any]:
    """Console and flash, timed, and what another kernel and another machine are wanted for."""
    folder = tmp_path_factory.mktemp("tuned")
    # On a new machine, longer than a command may take.
    build_image(variant_of(rich_board("verdex"), compression="lz4"), SilentProgress())
    perfboard = Perfboard(folder / "data")
    boots = own_cache(perfboard, folder)
    return perfboard, boots, perfboard.json(*_words())


def _words() -> list[str]:
    kept = keep_but("console", "flash", "compression", "delay")
    kept += ["--keep", "compression=lz4", "--keep", "delay=timer"]
    return ["tune", "boot", "--board", "verdex", "--set", "delay=calibrated", *kept]


def total(run: Any) -> float:
    """The best's time in s."""
    (metric,) = [m for m in run["metrics"] if m["name"] == "boot.total" and not m["labels"]]
    value: float = metric["samples"][0]
    return value


def test_the_best_is_found_and_proved(tuned: tuple[Perfboard, Path, Any]) -> None:
    _, boots, run = tuned
    tuning = result_of(run, "tune")
    assert (run["status"], run["errors"]) == ("complete", [])
    assert tuning["exhaustive"]
    read = {m["labels"]["flash"] for m in run["metrics"] if m["name"] == "flash.read.bandwidth"}
    assert read == {
        "tuned",
        "asynchronous",
        "asynchronous-cached",
        "delivered",
        "cached",
        "delivered-cached",
    }
    kept = {"compression": "lz4", "delay": "timer"}
    best_levels = tuning["tries"][tuning["best"]]["levels"]
    assert best_levels == {"console": "quiet", "flash": "cached", **kept}
    assert run["factors"]["flash"] == "cached"
    # The start; nine levels by themselves; lz4 with each other flash; with what is kept all of
    # console and each flash that is not slower; on the way to the best a few more: each was booted
    # once, and that is far from all 72.
    assert 20 < len(booted(boots)) == len(result_of(run, "tune")["tried"]) < 30
    assert all(0 < one["ram"] < 64 << 20 for one in tuning["tries"])
    assert min(sum(one["flash"].values()) for one in tuning["tries"]) > 4_000_000
    best = result_of(run, "tune")["tried"][tuning["tries"][tuning["best"]]["boot"]]
    assert boots_of(run)[0]["marks"] == best["marks"]


def test_the_advices_savings_add_up(tuned: tuple[Perfboard, Path, Any]) -> None:
    _, _, run = tuned
    tuning = result_of(run, "tune")
    (base,) = [
        m for m in run["metrics"]
        if m["name"] == "boot.total" and m["labels"] == {"levels": "start"}
    ]  # fmt: skip
    saved = sum(one["saving_s"] for one in tuning["advice"])
    assert saved == pytest.approx(base["samples"][0] - total(run), abs=1e-9)
    for one in tuning["advice"]:
        assert sum(one["phases"].values()) == pytest.approx(one["saving_s"], abs=1e-9)
    limit = tuning["limit"]
    least = limit["read_bytes"] * limit["read_s"] + limit["instructions"] * limit["instruction_s"]
    assert 0 < least < total(run)


def test_following_the_advice_by_hand_gives_the_boot_that_it_promised(
    tuned: tuple[Perfboard, Path, Any], derive: Derive, tmp_path: Path
) -> None:
    perfboard, _, run = tuned
    advised = by_hand(result_of(run, "tune")["advice"], tmp_path)

    def change(board: dict[str, Any]) -> None:
        # What the start's delay=calibrated stands for.
        board["machine"]["cpu"] += ",cntfrq=900000"
        advised(board)

    board = derive(change)
    words = ["study", "boot", "--board", str(board), "--set", "detail=timed", "--boots", "1"]
    assert total(perfboard.json(*words)) == pytest.approx(total(run), rel=1e-4)


def test_made_again_it_takes_the_boots_that_there_are(
    tuned: tuple[Perfboard, Path, Any],
) -> None:
    perfboard, boots, run = tuned
    before = {entry.name: entry.stat().st_mtime_ns for entry in booted(boots)}
    again = perfboard.json(*_words())
    assert {entry.name: entry.stat().st_mtime_ns for entry in booted(boots)} == before
    assert result_of(again, "tune")["tried"] == result_of(run, "tune")["tried"]
    assert result_of(again, "tune") == result_of(run, "tune")


def test_it_is_shown_compared_and_reported(tuned: tuple[Perfboard, Path, Any]) -> None:
    perfboard, _, run = tuned
    text = perfboard("show", run["id"]).stdout
    assert "what to change, in this order" in text
    assert max(map(len, text.splitlines())) <= 80
    report = Path(perfboard("report", run["id"]).stdout.strip())
    first = report.read_bytes()
    assert b"Savings of each level by phase" in first
    perfboard("report", run["id"])
    assert report.read_bytes() == first
    assert "boot.total" in perfboard("export", run["id"], "--format", "csv").stdout
    same = perfboard("compare", run["id"], run["id"]).stdout
    assert same.startswith(f"boot.total is the same in both: {total(run):.3f} s.")


def test_a_limit_that_nothing_holds_is_refused_before_another_boot(
    tuned: tuple[Perfboard, Path, Any], tmp_path: Path
) -> None:
    perfboard, boots, _ = tuned
    before = len(booted(boots))
    done = perfboard(*_words(), "--max-flash", "1MB", code=2)
    assert "the smallest that there is takes" in " ".join(done.stdout.split())
    assert len(booted(boots)) == before


def counted(board: Path | str, *factors: str) -> list[str]:
    """A quick tune of a few factors."""
    words = ["tune", "boot", "--board", str(board), "--set", "detail=counted"]
    return [*words, *keep_but(*factors)]


def test_what_does_not_boot_or_build_is_recorded_and_avoided(
    perfboard: Perfboard, derive: Derive, tmp_path: Path
) -> None:
    def change(board: dict[str, Any]) -> None:
        # What console=quiet and console=off do not print; and no room for compression=none.
        board["boot"].update(usable="console:Run /sbin/init as init process", limit_s=10)
        board["flash"]["kernel"]["size"] = "3 MiB"

    own_cache(perfboard, tmp_path)
    words = counted(derive(change), "console", "compression")
    run = perfboard.json(*words, "--keep", "compression=none", code=2)
    assert run["status"] == "failed"
    assert "No combination that was tried" in run["errors"][0]["message"]
    outcomes = {tuple(t["levels"].values()): t for t in result_of(run, "tune")["tries"]}
    assert outcomes[()]["outcome"] == "booted"
    assert outcomes["quiet",]["outcome"] == "not-booted"
    assert "last console lines" in outcomes["quiet",]["problem"]
    assert outcomes["none",]["outcome"] == "not-built"
    assert "flash.kernel" in outcomes["none",]["problem"]


def test_an_interrupted_tune_goes_on_where_it_was(perfboard: Perfboard, tmp_path: Path) -> None:
    boots = own_cache(perfboard, tmp_path)
    words = counted("verdex", "console", "copy", "check")
    process = perfboard.start(*words)
    until(lambda: booted(boots))
    process.send_signal(signal.SIGINT)
    run = perfboard.finish(process, 130)
    assert run["status"] == "aborted"
    assert run["errors"][0]["kind"] == "interrupted"
    kept = {entry.name: entry.stat().st_mtime_ns for entry in booted(boots)}
    assert kept
    assert not list(boots.glob("*.unfinished"))
    whole = perfboard.json(*words)
    assert whole["status"] == "complete"
    now = {entry.name: entry.stat().st_mtime_ns for entry in booted(boots)}
    assert kept.items() <= now.items()
    assert result_of(whole, "tune")["exhaustive"]


def test_a_disk_that_fills(perfboard: Perfboard, tmp_path: Path) -> None:
    boots = own_cache(perfboard, tmp_path)
    boots.mkdir()
    isolate = ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--mount"]
    if subprocess.run([*isolate, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine allows no private mounts")
    script = 'mount -t tmpfs -o size=200k none "$1" && shift && exec "$@"'
    perfboard.wrapper = [*isolate, "sh", "-c", script, "sh", str(boots)]
    done = perfboard(*counted("verdex", "console"), code=3)
    assert "disk" in done.stdout
    assert "Traceback" not in done.stderr
    perfboard.wrapper = []
    (row,) = perfboard.json("runs")
    assert row["status"] == "failed"


def test_a_start_that_does_not_boot_ends_the_tune(
    perfboard: Perfboard, derive: Derive, tmp_path: Path
) -> None:
    def change(board: dict[str, Any]) -> None:
        board["image"]["kernel"]["arguments"] = "init=/nowhere"

    boots = own_cache(perfboard, tmp_path)
    run = perfboard.json(*counted(derive(change), "console", "copy", "check"), code=4)
    assert run["status"] == "failed"
    assert "The start does not boot" in run["errors"][0]["message"]
    assert run["errors"][0]["kind"] == "panic"
    (one,) = (one for one in result_of(run, "tune")["tries"] if one["outcome"] != "refused")
    assert (one["stage"], one["outcome"], one["kind"]) == ("start", "not-booted", "panic")
    assert len(booted(boots)) == 1


def test_a_limit_on_memory_changes_the_best(perfboard: Perfboard, tmp_path: Path) -> None:
    # Larger blocks of SquashFS take more memory: far more than what differs from boot to boot.
    boots = own_cache(perfboard, tmp_path)
    words = counted("verdex", "block")
    tuning = result_of(perfboard.json(*words), "tune")
    fastest = tuning["tries"][tuning["best"]]
    before = len(booted(boots))
    limited = perfboard.json(*words, "--max-ram", f"{fastest['ram'] - 1}B")
    best = result_of(limited, "tune")["tries"][result_of(limited, "tune")["best"]]
    assert best["levels"] != fastest["levels"]
    assert best["ram"] < fastest["ram"]
    same = next(o for o in result_of(limited, "tune")["tries"] if o["levels"] == fastest["levels"])
    assert same["excluded_because"] == "beyond the limits"
    assert len(booted(boots)) == before
