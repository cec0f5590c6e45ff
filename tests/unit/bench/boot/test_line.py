# SPDX-License-Identifier: Apache-2.0
"""The boot study of a board on a serial line, which a thread plays."""

import json
import shutil
import time
from html import unescape
from pathlib import Path
from threading import Event, Thread

import pytest

from perfboard.cli.command import main
from perfboard.instruments.serial_console import SerialConsole
from perfboard.model.results.boot import BootResult
from perfboard.model.results.power import PowerResult
from perfboard.model.results.timeline import TimelineResult
from perfboard.model.run import Run
from perfboard.targets.serial.line import PSEUDO_NOTE
from tests.support.recorded import DATA
from tests.support.runs import boots_of, only
from tests.support.serial_board import board_on_a_line

BOOT = (DATA / "verdex-initcall.log").read_bytes()


def test_the_run_says_how_the_instrument_changes_what_it_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    reset = tmp_path / "reset"
    with board_on_a_line(reset, BOOT.splitlines(keepends=True)) as target:
        words = ["--target", target, "--usable", "Run /sbin/init", "--boots", "1"]
        assert main(["study", "boot", *words, "--reset", f"touch {reset}", "--json"]) == 0
    run = json.loads(capsys.readouterr().out)
    assert run["status"] == "complete" and run["board"]["facts"]["kernel"].startswith("Linux")
    (boot,) = boots_of(run)
    assert [boot["marks"][place]["name"] for place in (0, -1)] == ["reset", "usable"]
    # The line is a pseudo-terminal, which is no real board.
    assert run["provenance"]["notes"] == [PSEUDO_NOTE, SerialConsole.effect]
    assert (run["evidence"], run["board"]["description"]) == (
        "host",
        "A program that prints on a pseudo-terminal.",
    )
    (report,) = tmp_path.rglob("report.html")
    assert SerialConsole.effect in " ".join(unescape(report.read_text()).split())


def _meter(path: Path, ended: Event) -> None:
    """A meter's program: 2 W from a supply of 5 V, a row each few milliseconds."""
    began = time.monotonic()
    with path.open("a") as file:
        while not ended.wait(0.002):
            file.write(f"{time.monotonic() - began:.4f},0.4\n")
            file.flush()


@pytest.mark.skipif(shutil.which("sigrok-cli") is None, reason="sigrok-cli is not installed")
def test_a_capture_and_a_meter_are_joined_to_the_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    reset, table, ended = tmp_path / "reset", tmp_path / "meter.csv", Event()
    table.write_text("time (s),current (A)\n")
    meter = Thread(target=_meter, args=(table, ended))
    meter.start()
    try:
        with board_on_a_line(reset, BOOT.splitlines(keepends=True)) as target:
            words = ["--target", target, "--usable", "Run /sbin/init", "--boots", "1"]
            words += [
                "--capture",
                "sigrok:demo,channels=D0-D3,rate=200k",
                "--channel",
                "D0=led/led2",
            ]
            words += ["--power", str(table), "--volts", "5", "--reset", f"touch {reset}", "--json"]
            assert main(["study", "boot", *words]) == 0
    finally:
        ended.set()
        meter.join()
    run = Run.model_validate_json(capsys.readouterr().out)
    timeline, power = only(run, TimelineResult), only(run, PowerResult)
    assert [clock.fit is not None for clock in timeline.clocks] == [True] * len(timeline.clocks)
    assert {clock.name for clock in timeline.clocks} >= {"console, boot 1", "capture, boot 1"}
    (boot,) = only(run, BootResult).boots
    led = boot.mark("led")
    # The pattern of the driver's channel 0 changes all the time, so that its edge is early.
    assert led is not None and led.t_ns < 10**9 and led.clock == "capture"
    assert boot.mark("capture.start") is None
    assert "artifacts/boot-1/capture.sr" in {each.path for each in run.artifacts}
    whole = next(phase for phase in power.phases if phase.name == "boot.total")
    assert whole.joules is not None
    assert whole.joules == pytest.approx(2 * whole.seconds, rel=0.02)
    energy = {metric.name: metric.samples for metric in run.metrics}["boot.total.energy"]
    assert energy == (whole.joules,)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--capture", "demo"], "it takes sigrok:DRIVER"),
        (["--power", "nosuch"], "--power: "),
        (["--capture", "sigrok:nosuch,channels=D0", "--channel", "D0=led"], "captures nothing by"),
    ],
)
def test_an_instrument_that_is_not_there_is_said(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with board_on_a_line(tmp_path / "reset", [BOOT]) as target:
        words = [*words, "--target", target, "--usable", "login", "--reset", "true"]
        assert main(["study", "boot", *words]) in (2, 3)
    shown = capsys.readouterr()
    assert said in " ".join((shown.out + shown.err).split())


def test_the_command_gives_a_name_and_a_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    reset = tmp_path / "reset"
    with board_on_a_line(reset, BOOT.splitlines(keepends=True)) as target:
        words = ["--target", target, "--usable", "Run /sbin/init", "--boots", "1"]
        words += ["--reset", f"touch {reset}", "--name", "gateway", "--budget-s", "1.5"]
        # One boot of a real board has no interval.
        assert main(["study", "boot", *words, "--json"]) == 5
    run = json.loads(capsys.readouterr().out)
    assert run["board"]["name"] == "gateway" and "-boot-gateway-" in run["id"]
    (verdict,) = run["verdicts"]
    assert (verdict["budget"], verdict["outcome"]) == (1.5, "inconclusive")


def test_a_board_file_says_what_the_options_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    file = tmp_path / "shelf.toml"
    with board_on_a_line(tmp_path / "reset", BOOT.splitlines(keepends=True)) as target:
        file.write_text(
            'schema = "perfboard.board/1"\nname = "shelf-3"\ntitle = "A gateway"\n'
            f'description = "On the shelf."\ntarget = "{target}"\nusable = "never"\n'
            f'reset = "touch {tmp_path}/reset"\n[facts]\nmemory = "64 MiB"\n'
        )
        words = ["--board", str(file), "--usable", "Run /sbin/init", "--boots", "1"]
        assert main(["study", "boot", *words, "--json"]) == 0
    run = json.loads(capsys.readouterr().out)
    assert (run["target"], run["evidence"]) == (target, "silicon")
    assert (run["board"]["name"], run["board"]["title"]) == ("shelf-3", "A gateway")
    assert run["board"]["facts"].keys() == {"memory", "kernel", "board"}
    assert "-boot-shelf-3-" in run["id"]


def test_a_boot_that_fails_says_so_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    reset = tmp_path / "reset"
    with board_on_a_line(reset, [b"Kernel panic - not syncing: no init\n"]) as target:
        words = ["--target", target, "--usable", "login:", "--boots", "1"]
        assert main(["study", "boot", *words, "--reset", f"touch {reset}", "--json"]) == 4
    run = json.loads(capsys.readouterr().out)
    assert [error["kind"] for error in run["errors"]] == ["panic"] and run["results"] == []
    assert run["provenance"]["notes"] == [PSEUDO_NOTE, SerialConsole.effect]


@pytest.mark.parametrize(
    ("target", "reset", "code", "words"),
    [
        ("/dev/ttyUSB0", "true", 2, 'not "/dev/ttyUSB0". Did you mean serial:///dev/ttyUSB0?'),
        ("serial:/dev/ttyUSB0", "true", 2, "Did you mean serial:///dev/ttyUSB0?"),
        ("serial://ttyS1?baud=9600", "true", 2, "Did you mean serial:///dev/ttyS1?baud=9600?"),
        ("", "no-such-command -x", 2, "--reset no-such-command: there is no such program"),
        ("", "/nowhere/reset.sh", 2, "--reset /nowhere/reset.sh: there is no such program"),
    ],
)
def test_a_wrong_line_or_command_is_found_before_there_is_a_run(
    tmp_path: Path,
    target: str,
    reset: str,
    code: int,
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--usable", "login:", "--reset", reset]
    with board_on_a_line(tmp_path / "reset") as line:
        assert main(["study", "boot", "--target", target or line, *options]) == code
    assert words in " ".join(capsys.readouterr().err.split())


def test_a_boot_ends_when_the_board_was_silent_for_longer_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    reset = tmp_path / "reset"
    call = b"[    1.000000] calling  hang_init+0x0/0x10 @ 1\r\n"
    with board_on_a_line(reset, [b"[    0.500000] NET: x\r\n", call]) as target:
        words = ["--target", target, "--usable", "login:", "--silence", "1", "--boots", "1"]
        assert main(["study", "boot", *words, "--reset", f"touch {reset}", "--json"]) == 4
    (error,) = json.loads(capsys.readouterr().out)["errors"]
    assert error["kind"] == "hang"
    assert "--silence 1 and --timeout 600, in seconds; --silence ended the boot" in error["message"]
    assert "calls that never returned: hang_init." in error["message"]
