# SPDX-License-Identifier: Apache-2.0
"""What is refused before any work: all that is wrong at once, and no run is begun."""

from pathlib import Path

import pytest

from tests.support.command import call

BOOT = ("study", "boot", "--target", "serial:///dev/null", "--usable", "login:")
PROFILE = """
schema = "perfboard.profile/2"
[profile]
name = "mine"
device = "A device"
for = "Nobody"
[[key_issue]]
name = "record"
question = "Is it fast enough?"
measure = "media.record"
metric = "media.record.rate"
labels = { LABELS }
budget = ">= 25 1/s"
"""
APPLICATION = PROFILE.replace("media.record.rate", "memory.application.rss").replace(
    "media.record", "memory.application"
)


@pytest.fixture(autouse=True)
def no_run(homes: Path) -> Path:
    """The folder of runs, which no refusal makes."""
    return homes / "data" / "perfboard" / "runs"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["study", "bringup", "--folder", "/nonexistent"], "folder /nonexistent: is no folder"),
        (["measure", "disk.dd", "--with", "folder=/nonexistent"], "/nonexistent: is no folder"),
        (["measure", "disk.dd", "--with", "folder=/etc/passwd"], "/etc/passwd: is no folder"),
        (["measure", "boot"], "boot: local is a running system"),
        (["measure", "disk.dd", "--time", "5"], "--time: is for probes"),
        (["measure", "disk.dd", "--cpu", "0"], "--cpu: is for probes"),
        (["measure", "wakeups", "--with", "periods=7"], "periods is 7; give a whole number of at"),
        (["measure", "memory.application"], "memory.application: needs a command"),
        (["study", "bringup", "--only", "network.tcp", "--folder", "/tmp"], "--folder: no row"),
        (["measure", "--target", "local", "--target", "virtual:rpi2"], "--target: is given more"),
        (["study", "boot", "--target", "local", "--target=serial:///dev/x"], "--target: is given"),
        ([*BOOT, "--channel", "D0=kernel.entry"], "--channel: names marks of a capture"),
        (
            [*BOOT, "--capture", "sigrok:demo,channels=D0", "--channel", "D1=a"],
            "--channel D1: --capture takes no such channel; it has D0",
        ),
        ([*BOOT, "--volts", "5"], "--volts: is of a meter's file"),
        (
            ["measure", "disk.dd", "--board", "rpi2", "--functions", "on"],
            "--functions: nothing of this boots the board",
        ),
        (["study", "wakeups", "--volts", "5"], "--volts: is of a meter's file"),
        (["study", "wakeups", "--board", "rpi2", "--power", "rapl"], "a virtual board has no"),
        (
            ["choose", "media-recorder", "--target", "local", "--price", "foo=3"],
            "--price foo: that board is not measured here. Give the price of local",
        ),
        (
            ["choose", "kiosk", "--board", "rpi2", "--board", "verdx"],
            'did you mean "verdex"?',
        ),
        (
            ["gate", "--measure", "rpi2", "local"],
            "rpi2 is a virtual board that is booted; local",
        ),
        (["gate", "--measure", "rpi2", "rpi2", "--probe", "kernel.sys"], 'no probe "kernel.sys"'),
        (["gate", "--measure", "rpi2", "rpi2", "latest"], "RUN: --measure measures its own"),
        (["gate", "--measure", "a", "b", "--accept", "x"], "--accept: --measure measures its own"),
        (["gate", "--pairs", "6"], "--pairs: is for --measure A B"),
        (["gate", "--probe", "kernel.syscall"], "--probe: is for --measure A B"),
        (["gate", "--tag", "a=b"], "--tag: is for --measure A B"),
        (["gate", "--accept", "x", "--baseline", "main"], "--baseline: --accept judges nothing"),
        (["gate", "--format", "junit", "--json"], "--format: --json prints all"),
    ],
)
def test_it_is_refused(
    words: list[str], said: str, no_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words) == 2
    assert said in capsys.readouterr().err
    assert not no_run.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PROFILE.replace("LABELS", 'stream = "recrd"'), 'is "recrd"; did you mean "record"?'),
        (PROFILE.replace("LABELS", 'stram = "record"'), 'has no label "stram"; did you mean'),
        (APPLICATION.replace("LABELS", 'when = "first"').replace("1/s", "B"), 'is "first". They'),
        (APPLICATION.replace("LABELS", 'when = "start"').replace("1/s", "B"), "needs a command"),
    ],
)
def test_a_row_of_a_profile_is_refused(
    text: str, said: str, tmp_path: Path, no_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").write_text(text)
    assert call("choose", str(tmp_path / "mine.toml"), "--target", "local") == 2
    assert said in capsys.readouterr().err
    assert not no_run.exists()


def test_all_that_is_wrong_is_said_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--channel", "D0=a", "--reset", "/nowhere", "--set", "a=b", "--functions", "on")
    assert call(*BOOT, *words) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    for said in ("--functions: only for virtual", "has no factor a", "--reset /nowhere: there is"):
        assert any(said in line for line in lines)


def test_the_price_of_each_board_that_is_measured_may_be_given(
    no_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boards = ("--board", "rpi2", "--board", "verdex")
    prices = ("--price", "rpi2=35", "--price", "verdex=99", "--only", "nosuch")
    assert call("choose", "kiosk", *boards, *prices) == 2
    assert "--price" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["kiosk", "image-converter", "media-recorder", "web-mail"])
def test_no_shipped_profile_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    # The price alone: mail's parameter `folder` was taken for one of a disk.
    assert call("choose", name, "--target", "local", "--price", "nosuch=3") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--price nosuch" in line
