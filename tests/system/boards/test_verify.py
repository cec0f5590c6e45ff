# SPDX-License-Identifier: Apache-2.0
"""Published rows of a board, measured again: the model gives what the board's file says of it."""

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from perfboard.binaries.probe import find_binary
from perfboard.boards.loader import load_board
from perfboard.images.image import build_image
from perfboard.model.errors import EXIT_INCONCLUSIVE
from perfboard.model.progress import SilentProgress
from tests.support.rich_boards import rich_board
from tests.support.variants import variant_of

from ..conftest import Perfboard

# Whatever the kernel, the processor and its memory do the same. Rows that set a parameter have no
# ratio in the file: the model gives what it was set by.
SIZES = ("64 KiB", "128 KiB", "256 KiB", "2 MiB")
ROWS = (
    ("cpu.clock", {}),
    *(("memory.random.beyond_l1", {"size": size}) for size in SIZES),
)
FITTED = 1.0


@pytest.fixture(scope="module")
def teres() -> Path:
    """The board's file; its image is that of test_timed.py, and built here where that was not.

    The probe too: on a new machine, compiling it takes as long as the command may.
    """
    build_image(variant_of("teres"), SilentProgress())
    loaded = load_board(rich_board("teres"))
    find_binary(loaded.board.machine.architecture.probe, SilentProgress())
    return loaded.path


def test_five_rows_have_the_ratios_that_the_boards_file_states(tmp_path: Path, teres: Path) -> None:
    table: dict[str, Any] = tomllib.loads(teres.read_text())
    rows = [
        row
        for row in table["timing"]["published"]
        if (row["metric"], row.get("labels", {})) in ROWS
    ]
    table["timing"]["published"] = rows
    table["image"]["kernel"]["config"] = str(teres.with_name(table["image"]["kernel"]["config"]))
    own = tmp_path / "own.toml"
    own.write_text(tomli_w.dumps(table))
    board = Perfboard(tmp_path / "data")
    process = subprocess.run(
        [*board.words, "boards", "verify", str(own), "--json", "--report", "--time", "2"],
        capture_output=True,
        text=True,
        timeout=900,
        env=board.environment,
    )
    # In two seconds the probes may not see all of the part's parameters.
    assert process.returncode in (0, EXIT_INCONCLUSIVE), process.stderr
    assert "on this machine." in process.stderr
    found = json.loads(process.stdout)
    assert len(rows) == 5
    # They were found in 60 s: the third digit rests on how often each was measured.
    ratios = [row["ratio"] for row in found["rows"]]
    assert ratios == [pytest.approx(row.get("ratio", FITTED), abs=0.015) for row in rows]
    page = board.data / "perfboard" / "runs" / found["runs"][0] / "verification.html"
    assert found["answer"] in page.read_text()
