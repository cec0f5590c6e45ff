# SPDX-License-Identifier: Apache-2.0
"""A report that people hand on names no user, host or path of the machine that made it."""

from pathlib import Path

import pytest

from perfboard.model.errors import CONSOLE_HEADING
from perfboard.model.run import RunError
from perfboard.report.html import render
from perfboard.report.privacy import without_host
from perfboard.report.writing import write_report
from tests.support.runs import make_run

CONSOLE = "init: /home/app/start: not found"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("/home/jane/boards/my.toml", "my.toml"),
        ("--board=/work/jane/my.toml", "--board=my.toml"),
        ("/Users/jane", "~"),
        ("~/boards/my.toml: is odd", "my.toml: is odd"),
        ("./boards/my.toml", "./boards/my.toml"),
        ("serial:///dev/ttyUSB0?baud=115200", "serial:///dev/ttyUSB0?baud=115200"),
        ("ssh://jane@gateway:22", "ssh://gateway:22"),
        ("/etc/devices.tar and /usr/bin/env", "/etc/devices.tar and /usr/bin/env"),
        ("kept in /tmp/jane/x, and 3 MB/s", "kept in x, and 3 MB/s"),
    ],
)
def test_of_a_path_the_last_part_stays(text: str, plain: str) -> None:
    run = make_run()
    provenance = run.provenance.model_copy(update={"command": (text,), "notes": (text,)})
    errors = (RunError(kind="panic", message=f"{text}{CONSOLE_HEADING}{CONSOLE}"),)
    found = without_host(run.model_copy(update={"provenance": provenance, "errors": errors}))
    assert found.provenance.command == found.provenance.notes == (plain,)
    # The board's console is not this machine's.
    assert found.errors[0].message == f"{plain}{CONSOLE_HEADING}{CONSOLE}"


def test_a_report_names_the_host_when_asked_to(tmp_path: Path) -> None:
    run = make_run()
    host = {"system": "Linux-of-jane"}
    run = run.model_copy(update={"provenance": run.provenance.model_copy(update={"host": host})})
    (tmp_path / "run.json").write_text(run.model_copy(update={"artifacts": ()}).to_json())
    assert "Linux-of-jane" in render(run)
    assert "Linux-of-jane" not in write_report(tmp_path).read_text()
    assert "Linux-of-jane" in write_report(tmp_path, with_host=True).read_text()
