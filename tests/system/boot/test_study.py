# SPDX-License-Identifier: Apache-2.0
"""The boot study of verdex from end to end."""

import csv
import io
import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from perfboard.analysis.boot.phases import PHASES, cut_phases
from perfboard.model.results.boot import BootResult
from perfboard.store.reading import load_run
from tests.support.runs import boots_of, only

from ..conftest import COUNTED, Change, Perfboard, sample


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, image: object) -> tuple[Perfboard, list[str]]:
    """One run of two boots, and one with initcall_debug."""
    perfboard = Perfboard(tmp_path_factory.mktemp("data"))
    words = ["study", "boot", "--board", "verdex", *COUNTED, "--boots"]
    plain = perfboard.json(*words, "2")
    debug = perfboard.json(*words, "1", "--set", "initcall_debug=on")
    return perfboard, [plain["id"], debug["id"]]


def test_every_phase_is_there_and_they_add_up(runs: tuple[Perfboard, list[str]]) -> None:
    perfboard, (plain, _) = runs
    run = load_run(perfboard.data / "perfboard" / "runs" / plain)
    for boot in only(run, BootResult).boots:
        phases = cut_phases(boot)
        assert [phase.name for phase in phases] == [phase.name for phase in PHASES]
        usable = boot.mark("usable")
        assert usable is not None
        assert sum(phase.duration_ns for phase in phases) == usable.t_ns
        assert all(phase.duration_ns > 0 for phase in phases)


def test_the_init_scripts_and_the_application_are_steps(
    runs: tuple[Perfboard, list[str]],
) -> None:
    perfboard, (plain, _) = runs
    run = perfboard.json("show", plain)
    steps = [
        m["name"].removeprefix("boot.userspace.")
        for m in run["metrics"]
        if m["name"].startswith("boot.userspace.") and not m["name"].endswith(".instructions")
    ]
    assert steps == [
        *("init", "filesystems", "devices", "ethernet", "syslog", "misc"),
        *("application", "copy"),
    ]
    whole = sample(run, "boot.userspace")
    assert sum(sample(run, f"boot.userspace.{step}") for step in steps) == pytest.approx(whole)


def test_the_same_image_boots_the_same(runs: tuple[Perfboard, list[str]]) -> None:
    perfboard, (plain, _) = runs
    for metric in perfboard.json("show", plain)["metrics"]:
        if metric["name"] == "image.kernel.size":
            continue
        first, second = metric["samples"]
        assert second == pytest.approx(first, rel=1e-6), metric["name"]


def test_initcalls_are_recorded_when_asked_for(runs: tuple[Perfboard, list[str]]) -> None:
    perfboard, (plain, debug) = runs
    assert boots_of(perfboard.json("show", plain))[0]["spans"] == []
    boot = boots_of(perfboard.json("show", debug))[0]
    spans = boot["spans"]
    names = {span["name"] for span in spans}
    assert len([span for span in spans if span["kind"] == "initcall"]) > 100
    assert "physmap_init" in names
    assert "0.flash" in {span["name"] for span in spans if span["kind"] == "probe"}
    # It is probed before the kernel's clock is fine enough to time it.
    assert "9000000.pl011" in boot["untimed"]


def test_compare_says_which_phase_the_change_came_from(
    runs: tuple[Perfboard, list[str]],
) -> None:
    perfboard, (plain, debug) = runs
    text = perfboard("compare", plain, debug).stdout
    assert "boot.total rose by" in text
    assert "in boot.kernel.init" in text.rpartition("boot.total rose by")[2]
    assert "initcall_debug" in text
    assert max(map(len, text.splitlines())) <= 80


def test_exports(runs: tuple[Perfboard, list[str]]) -> None:
    perfboard, (plain, debug) = runs
    rows = list(csv.DictReader(io.StringIO(perfboard("export", plain, "--format", "csv").stdout)))
    assert {row["evidence"] for row in rows} == {"counted"}
    assert len([row for row in rows if row["metric"] == "boot.total"]) == 2
    trace = json.loads(perfboard("export", debug, "--format", "perfetto").stdout)
    assert any(event.get("name") == "physmap_init" for event in trace["traceEvents"])
    record = json.loads(perfboard("export", plain, "--format", "json").stdout)
    assert record == perfboard.json("show", plain)


def test_a_prompt_without_a_line_end_can_be_usable(
    perfboard: Perfboard, derive: Callable[[Change], Path]
) -> None:
    def change(board: dict[str, Any]) -> None:
        board["boot"]["usable"] = "console:activate this console"

    words = ["study", "boot", "--board", str(derive(change)), "--boots", "1", *COUNTED]
    (boot,) = boots_of(perfboard.json(*words))
    usable = next(mark for mark in boot["marks"] if mark["name"] == "usable")
    assert usable["source"] == "console"
    last_script = next(mark for mark in boot["marks"] if mark["name"] == "exec:S99usable")
    assert usable["t_ns"] > last_script["t_ns"]


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("src", "href", "srcset") and value and not value.startswith("#"):
                self.outside.append(f"{tag} {name}={value}")


def test_the_report_is_one_file_made_from_the_run_alone(
    runs: tuple[Perfboard, list[str]],
) -> None:
    perfboard, (plain, _) = runs
    path = Path(perfboard("report", plain).stdout.strip())
    first = path.read_bytes()
    path.unlink()
    perfboard("report", plain)
    assert path.read_bytes() == first
    links = _Links()
    links.feed(first.decode())
    assert links.outside == []
    assert "usable" in first.decode()


def test_runs_are_listed_and_found_by_prefix(runs: tuple[Perfboard, list[str]]) -> None:
    perfboard, (plain, debug) = runs
    assert [row["id"] for row in perfboard.json("runs")] == [debug, plain]
    assert perfboard.json("show")["id"] == debug
    assert perfboard.json("show", plain[:-1])["id"] == plain
