# SPDX-License-Identifier: Apache-2.0
"""The commands that a refusal advises can be typed, and are not refused themselves."""

from pathlib import Path

import pytest

from tests.support.command import call
from tests.support.printed import commands_in, take

FILES = {
    "own board.toml": """
schema = "perfboard.board/1"
name = "gateway"
title = "A gateway"
description = "A gateway."
like = "rpi2"
""",
    "real.toml": """
schema = "perfboard.board/1"
name = "shelf"
title = "A board"
description = "A board."
target = "serial:///dev/null"
usable = "login:"
reset = "true"
write = "true"
virtual = "rpi2"
""",
    "set.toml": """
schema = "perfboard.profile/2"
measures = ["disk.dd"]
[profile]
name = "set"
device = "A device"
for = "Nobody"
""",
    "device.toml": """
schema = "perfboard.profile/2"
[profile]
name = "device"
device = "A device"
for = "Nobody"
[[key_issue]]
name = "room"
question = "Is there room?"
measure = "memory.free"
metric = "system.ram.available"
labels = { by = "MemAvailable" }
budget = ">= 1 MB"
""",
    "boot log.txt": "a log\n",
}


@pytest.mark.parametrize(
    ("given", "advised"),
    [
        (["show", "./boot log.txt"], [["import", "./boot log.txt"]]),
        (["study", "boot", "--board", "boot log.txt"], [["import", "boot log.txt"]]),
        (
            ["choose", "./set.toml", "--board", "./own board.toml"],
            [["measure", "./set.toml", "--board", "./own board.toml"]],
        ),
        (["measure", "./device.toml"], [["choose", "./device.toml"]]),
        (
            ["try", "./own board.toml", "cat", "a b"],
            [["try", "./own board.toml", "--", "cat", "a b"]],
        ),
        (
            ["build", "./real.toml"],
            [
                ["study", "boot", "--board", "./real.toml"],
                ["tune", "boot", "--board", "./real.toml"],
            ],
        ),
    ],
)
def test_what_a_refusal_advises_is_taken(
    given: list[str],
    advised: list[list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    assert call(*given) == 2
    found = list(commands_in(capsys.readouterr().err))
    assert [words[1:] for words in found] == advised
    for words in found:
        take(words)
