# SPDX-License-Identifier: Apache-2.0
"""The user's own programs on a board whose part lacks what one of them runs."""

from pathlib import Path

from tests.support.elfs import printing_i386
from tests.support.runs import result_of

from ..conftest import Perfboard, build_for_trials

# A board with a Pentium, whose shell and libraries run CMOV all the time.
BOARD = "settop-media"
CMOV = bytes.fromhex("0f44c0")
HEAD = """
schema = "perfboard.profile/2"
[profile]
name = "own"
device = "A box with a program of ours"
for = "a test"
"""
ROW = """
[[key_issue]]
name = "{name}"
question = "Is it fast?"
measure = "program"
metric = "program.result"
budget = ">= 5 MB/s"
[key_issue.parameters]
command = "./{name} && ./{name}"
files = {{ i386 = "bin/{name}", armhf = "bin/other" }}
pattern = "rate ([0-9.]+)"
unit = "MB/s"
better = "higher"
"""
MEMORY = """
[[key_issue]]
name = "memory"
question = "Is there room beside what it ships with?"
measure = "memory.free"
metric = "system.ram.available"
labels = { by = "free+cache" }
budget = ">= 1 MiB"
parameters = { services = "sleep 60", settle_s = 1 }
"""


def test_a_program_has_its_number_unless_the_part_would_have_stopped_it(tmp_path: Path) -> None:
    build_for_trials(BOARD)
    (tmp_path / "bin").mkdir()
    for name, also in (("plain", b""), ("cmov", CMOV)):
        (tmp_path / "bin" / name).write_bytes(printing_i386("rate 7.5 MB/s\n", also))
    path = tmp_path / "own.toml"
    path.write_text(HEAD + ROW.format(name="plain") + ROW.format(name="cmov") + MEMORY)
    board = Perfboard(tmp_path / "data")
    asks = board("choose", str(path), "--board", BOARD, code=2).stderr
    assert "./cmov && ./cmov" in asks and "i386=bin/cmov armhf=bin/other" in asks
    run = board.json("choose", str(path), "--board", BOARD, "--yes", code=5)
    plain, cmov, memory = result_of(run, "profile")["rows"]
    assert (plain["outcome"], plain["value"]) == ("inconclusive", 7.5e6)
    assert cmov["outcome"] == "not measured"
    assert (
        "it uses CMOV, FCMOV and FCOMI, which the part lacks (cmov ran them 2 times"
        in (cmov["reason"])
    )
    assert memory["outcome"] == "pass"
    (free,) = (
        each
        for each in result_of(run, "measures")["measurements"]
        if each["measure"] == "memory.free"
    )
    assert "Perfboard's with 1 service," in free["why"]
