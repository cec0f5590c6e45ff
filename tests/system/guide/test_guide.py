# SPDX-License-Identifier: Apache-2.0
"""A guide of few rows: of this machine, interrupted and taken up, and of a virtual board."""

import signal
from pathlib import Path

import pytest
from docutils.core import publish_doctree

from tests.support.runs import result_of

from ..conftest import COUNTED, Here, Perfboard, until

GUIDE = """
schema = "perfboard.profile/2"
profile = { name = "few", device = "Any board", for = "us" }
[[area]]
title = "Kernel"
quick = ["kernel.syscall", "ipc.pipe"]
[[area]]
title = "Storage"
quick = ["disk.sync file=1"]
more = ["memory.dd quick=true"]
[[area]]
title = "Sizes"
quick = ["kernel.image", "system.facts"]
all = ["disk.dd"]
"""


@pytest.fixture
def guide(tmp_path: Path) -> str:
    path = tmp_path / "few.toml"
    path.write_text(GUIDE)
    return str(path)


def test_a_guide_of_this_machine_goes_on_where_it_was_interrupted(here: Here, guide: str) -> None:
    words = ("measure", guide, "--time", "1")
    process = here.start(*words, "--json")
    until(lambda: here.running("disk-points"))
    process.send_signal(signal.SIGINT)
    first = here.finish(process, 130)
    assert first["status"] == "aborted" and here.left_clean()
    assert {"kernel.syscall", "ipc.pipe.latency"} <= {m["name"] for m in first["metrics"]}
    run = here.json(*words)
    assert run["status"] == "complete" and here.left_clean()
    assert any(first["id"] in note for note in run["provenance"]["notes"])
    rows = {row["measure"]: row for row in result_of(run, "measures")["measurements"]}
    assert "memory.dd" in rows and result_of(run, "guide")["left_out"][0]["row"] == "disk.dd"
    if not rows["disk.sync"]["reason"]:
        names = {metric["name"] for metric in run["metrics"]}
        assert {"disk.sync.overwrite.latency", "disk.sync.append.operations"} <= names
    text = here("export", run["id"], "--format", "guide-rst").stdout
    publish_doctree(text, settings_overrides={"halt_level": 2, "report_level": 2})
    assert "ipc.pipe.latency" in text and run["board"]["facts"]["compiler"] in text
    compared = here("compare", first["id"], run["id"]).stdout
    assert "0 are worse and 0 better" in compared and "New in Storage" in compared


def test_a_guide_of_a_virtual_board(perfboard: Perfboard, tmp_path: Path) -> None:
    path = tmp_path / "few.toml"
    # Both of the image that other tests boot as well.
    path.write_text(GUIDE.replace('"disk.sync file=1"', '"boot boots=1"').partition("more")[0])
    words = ("measure", str(path), "--quick", "--time", "1", "--board", "verdex", *COUNTED)
    run = perfboard.json(*words)
    assert (run["status"], run["evidence"]) == ("complete", "counted")
    assert [area["title"] for area in result_of(run, "guide")["areas"]] == ["Kernel", "Storage"]
    names = {metric["name"] for metric in run["metrics"]}
    assert {"kernel.syscall", "ipc.pipe.latency", "boot.total"} <= names
