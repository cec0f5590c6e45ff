# SPDX-License-Identifier: Apache-2.0
"""The user's own programs: on a board whose part lacks what one runs, and on a framebuffer."""

from pathlib import Path

from tests.support.elfs import printing_i386
from tests.support.runs import result_of

from ..conftest import Perfboard, build_for_trials, sample

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
MOMENTS = ["first", "half", "final", "stable"]
# Four lines of white, and four more after a while; a process that it started draws no more.
PANEL = """\
#!/bin/sh
white() { head -c 5120 /dev/zero | tr '\\0' '\\377' | dd of=/dev/fb0 bs=5120 seek=$1; }
white 0
sleep 0.3
white 9
sleep 1000
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


def test_a_program_draws_to_the_boards_framebuffer(tmp_path: Path, trials: None) -> None:
    (tmp_path / "panel").write_text(PANEL)
    given = {"command": "./panel", "files": str(tmp_path / "panel"), "quiet_ms": "500"}
    words = [word for name, value in given.items() for word in ("--with", f"{name}={value}")]
    board = Perfboard(tmp_path / "data")
    once = ("measure", "app.start", "--board", "rpi2", *words, "--with", "display=framebuffer")
    run = board.json(*once)
    (found,) = result_of(run, "measures")["measurements"]
    assert not found["reason"], found["reason"]
    first, last = (sample(run, f"app.start.{name}") for name in ("first", "time"))
    assert 0 < first < 0.3 < last < first + 0.6
    assert 0 < sample(run, "app.exit.time") < 0.3
    sizes = {m["labels"].get("of") for m in run["metrics"] if m["name"] == "app.memory.rss"}
    assert sizes == {"program"} and sample(run, "app.memory.free") > 1 << 20
    assert any("asked to end by SIGTERM" in note for note in run["provenance"]["notes"])
    # The film has a quarter of the framebuffer's pixels, and the program is on the last picture.
    (film,) = (block for block in found["blocks"] if block["kind"] == "film")
    assert [picture["moment"] for picture in film["pictures"]] == MOMENTS
