# SPDX-License-Identifier: Apache-2.0
"""Published rows of a board, measured again: the model gives what the board's file says of it."""

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from perfboard.boards.loader import load_board
from perfboard.images.image import build_image
from perfboard.model.errors import EXIT_FAILED_VERDICT, EXIT_INCONCLUSIVE
from perfboard.model.progress import SilentProgress
from tests.support.rich_boards import rich_board
from tests.support.variants import variant_of

from ..conftest import Perfboard

# Whatever the kernel, the processor and its memory do the same. The rows of a kind of work and use.
ROWS = (
    ("memory.bandwidth", {"operation": "copy", "size": "16 MiB"}),
    ("memory.bandwidth", {"operation": "copy", "size": "16 MiB", "loop": "pair"}),
    ("memory.bandwidth", {"operation": "write", "size": "16 MiB", "loop": "c"}),
    ("memory.random.beyond_l1", {"size": "128 KiB"}),
    ("memory.random.beyond_l1", {"size": "8 MiB"}),
)


@pytest.fixture(scope="module")
def teres() -> Path:
    """The board's file; its image is that of test_timed.py, and built here where that was not."""
    build_image(variant_of("teres"), SilentProgress())
    return load_board(rich_board("teres")).path


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
        [*board.words, "boards", "verify", str(own), "--json", "--report", "--time", "1"],
        capture_output=True,
        text=True,
        timeout=300,
        env=board.environment,
    )
    # In a second the probes do not see the part's parameters as they are: that may count more.
    assert process.returncode in (0, EXIT_FAILED_VERDICT, EXIT_INCONCLUSIVE), process.stderr
    assert "on this machine." in process.stderr
    found = json.loads(process.stdout)
    assert len(rows) == 5
    # As people read them: the next digit rests on how often each was measured.
    ratios = [row["ratio"] for row in found["rows"]]
    assert ratios == [pytest.approx(row["ratio"], abs=0.01) for row in rows]
    page = board.data / "perfboard" / "runs" / found["runs"][0] / "verification.html"
    assert found["answer"] in page.read_text()
