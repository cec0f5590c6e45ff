# SPDX-License-Identifier: Apache-2.0
"""Published rows of a board, measured again: the model gives what the board's file says of it."""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest
import tomli_w

from perfboard.boards.loader import load_board
from perfboard.model.errors import EXIT_FAILED_VERDICT, EXIT_INCONCLUSIVE
from tests.support.rich_boards import rich_board

from ..conftest import Perfboard, build_for_trials

# One run of each program: neither takes long, nor does their figure rest on the kernel.
ROWS = (
    "program.gmp.add_n",
    "program.gmp.addmul_1",
    "program.gmp.mul_1",
    "program.openssl.sha1.8192",
    "program.openssl.sha256.8192",
)


@pytest.fixture(scope="module")
def teres() -> Path:
    """The board's file; the image that programs are run with is built here."""
    build_for_trials("teres")
    return load_board(rich_board("teres")).path


def test_five_rows_have_the_ratios_that_the_boards_file_states(tmp_path: Path, teres: Path) -> None:
    table = tomllib.loads(teres.read_text())
    rows = [row for row in table["timing"]["published"] if row["metric"] in ROWS]
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
    assert process.returncode in (EXIT_FAILED_VERDICT, EXIT_INCONCLUSIVE), process.stderr
    assert "on this machine." in process.stderr
    found = json.loads(process.stdout)
    ratios = {row["metric"]: f"{row['ratio']:.4g}" for row in found["rows"]}
    assert ratios == {row["metric"]: f"{row['ratio']:.4g}" for row in rows}
    assert len(ratios) == 5 and all(row["host_s"] > 0 for row in found["rows"])
    page = board.data / "perfboard" / "runs" / found["runs"][0] / "verification.html"
    assert found["answer"] in page.read_text()
