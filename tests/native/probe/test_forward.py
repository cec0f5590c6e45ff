# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe forward`, with sanitizers, and the script of network.forward on this machine."""

import os
import subprocess
from pathlib import Path

import pytest

import perfboard.measures.network.forward as measure
from perfboard.bench.talk.ends import SenderReport
from perfboard.measures.reading import SaidRow
from perfboard.model.rows import RefusedRow, Row, read_rows

from .compiler import compile_commands

SCRIPTS = Path(measure.__file__).parent
MAC = "02:00:00:00:00:01"
ROWS: tuple[type[Row], ...] = (SaidRow, SenderReport, RefusedRow)
ADDRESSES = ("192.0.2.1", "192.0.2.1", "198.51.100.1")


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("forward") / "forward"
    names = ("network/forward", "pace", "say")
    return compile_commands(path, *(f"commands/{name}.c" for name in names))


@pytest.fixture(scope="module")
def _namespaces() -> None:
    if subprocess.run(["unshare", "-n", "true"], check=False, capture_output=True).returncode:
        pytest.skip("network namespaces cannot be made here, which needs root")


def run_script(probe: str, folder: Path, before: str = "") -> str:
    """What the script prints, after lines that change how its board is set."""
    script = (SCRIPTS / "forward.sh").read_text().replace("count() {", f"{before}\ncount() {{", 1)
    (folder / "forward.sh").write_text(script)
    (folder / "ends.sh").write_text((SCRIPTS / "ends.sh").read_text())
    done = subprocess.run(
        ["unshare", "-n", "sh", "forward.sh", "1", "100"],
        cwd=folder,
        env={**os.environ, "PROBE": probe},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.usefixtures("_namespaces")
def test_what_the_kernel_sends_on_is_counted(probe: str, tmp_path: Path) -> None:
    output = run_script(probe, tmp_path)
    rows = read_rows(output, *ROWS)
    assert [type(row) for row in rows[:2]] == [SaidRow, SenderReport]
    first = read_rows(output, SenderReport)[0]
    # The last packets may be on their way when the time is over.
    assert first.sent == first.answered > 100 and first.took_us >= 100_000
    # Here it has nft, or says that it has not.
    assert type(rows[2]) is SaidRow and type(rows[3]) in (SenderReport, RefusedRow)


@pytest.mark.usefixtures("_namespaces")
def test_a_board_that_sends_nothing_on_is_told(probe: str, tmp_path: Path) -> None:
    output = run_script(probe, tmp_path, "echo 0 > $settings/ip_forward")
    assert "nothing is forwarded" in [row.why for row in read_rows(output, RefusedRow)]


@pytest.mark.usefixtures("_namespaces")
def test_an_interface_that_is_not_there_is_named(probe: str) -> None:
    words = [probe, "forward", "none0", MAC, *ADDRESSES, "10", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr == "none0: No such device\n"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["lo", "02:00", *ADDRESSES, "10", "1"],
        ["lo", MAC, "here", *ADDRESSES[1:], "10", "1"],
        ["lo", MAC, *ADDRESSES, "0", "1"],
        ["lo", MAC, *ADDRESSES, "10", "65"],
        ["lo", MAC, *ADDRESSES, "10x", "1"],
    ],
)
def test_wrong_words_are_refused(probe: str, words: list[str]) -> None:
    assert subprocess.run([probe, "forward", *words], check=False).returncode == 2
