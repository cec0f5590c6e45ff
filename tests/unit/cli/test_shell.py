# SPDX-License-Identifier: Apache-2.0
"""What a shell completes, by bash itself, and the manual page, by the programs that read one."""

import shutil
import subprocess
from pathlib import Path

import pytest

from perfboard.boards.loader import list_boards
from tests.support.command import call

_ASK = """\
source "$1"; shift
complete -p perfboard
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_shtab_perfboard
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert call("completion", shell) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("st", {"study", "studies"}),
        ("study bo", {"boot"}),
        ("study boot --usab", {"--usable"}),
        ("study boot --board ", {*list_boards(), "mine.toml"}),
        ("boards show rpi-zero", {"rpi-zero", "rpi-zero2"}),
        ("boards new x --kernel m", {"mine.toml"}),
        ("measure memory.lat", {"memory.latency"}),
        ("tune boot --max-", {"--max-flash", "--max-ram"}),
        ("show lat", {"latest"}),
        ("completion ", {"bash", "zsh", "fish"}),
    ],
)
def test_bash_completes(
    words: str, found: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "script").write_text(script("bash", capsys))
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "mine.toml").touch()
    done = subprocess.run(
        ["bash", "-euc", _ASK, "bash", tmp_path / "script", "perfboard", *words.split(" ")],
        cwd=tmp_path / "here",
        capture_output=True,
        text=True,
        check=True,
    )
    first, *completed = done.stdout.splitlines()
    assert first.endswith("_shtab_perfboard perfboard")
    assert set(completed) == found
    assert not done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_reads_its_script(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = script(shell, capsys)
    assert all(word in text for word in ("--max-flash", "orangepi-pc", "memory.latency"))
    if shutil.which(shell):
        (tmp_path / "script").write_text(text)
        subprocess.run([shell, "-n", tmp_path / "script"], check=True)


def test_the_manual_has_each_command_with_its_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call("man") == 0
    page = capsys.readouterr().out
    assert page.startswith('.TH "PERFBOARD" 1')
    sections = dict(part.split("\n", 1) for part in page.split("\n.SS ")[1:])
    # The options of each study stand in its own section.
    assert r"\-\-silence S" in sections['"perfboard study boot"']
    assert r"\-\-silence S" not in sections['"perfboard study standard"']
    assert r"\-\-like BOARD" in sections['"perfboard boards new"']
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT CODES"):
        assert page.count(f"\n.SH {heading}\n") + page.count(f'\n.SH "{heading}"\n') == 1


@pytest.mark.parametrize(
    "reader",
    [
        ["man", "--warnings", "--local-file", "-"],
        ["groff", "-man", "-Tascii", "-ww"],
        ["mandoc", "-Tlint", "-Werror"],
    ],
)
def test_the_manual_is_read_without_a_warning(
    reader: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    if not shutil.which(reader[0]):
        pytest.skip(f"{reader[0]} is not installed")
    assert call("man") == 0
    page = capsys.readouterr().out
    done = subprocess.run(reader, input=page, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    if reader[0] != "mandoc":
        assert "perfboard study boot" in done.stdout
