# SPDX-License-Identifier: Apache-2.0
"""Command lines for boards on a serial line, refused before anything is reset or built."""

import pytest

from perfboard.cli.command import main

REAL = {"--write": "true", "--reset": "true", "--usable": "x"}


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the command prints, whose exit code is 2 or 3."""
    assert main(words) in (2, 3)
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--target", "serial:///dev/ttyUSB0"], "--usable"),
        (["--target", "serial:///dev/nowhere", "--usable", "x"], "/dev/nowhere cannot be opened"),
        (["--target", "serial:///dev/null", "--usable", "x"], "is no serial line"),
        (["--target", "serial:///dev/null", "--usable", "("], "no regular expression"),
        (["--target", "serial:///dev/null", "--usable", "exec:app"], "only a virtual board shows"),
        (["--target", "serial:///dev/null", "--usable", "x", "--set", "a=b"], "has no factor a"),
        (["--target", "serial:///dev/null", "--reset", "'"], '--reset: "\'" is not a command'),
        (["--target", "serial:///dev/null", "--reset", " "], "--reset: it is empty"),
        (["--board", "verdex", "--usable", "x"], "--usable: only for serial, labgrid targets"),
        (["--board", "verdex", "--reset", "x"], "--reset: only for serial, labgrid targets"),
    ],
)
def test_a_boot(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refused(["study", "boot", *words], capsys)


@pytest.mark.parametrize(
    ("left_out", "more", "said"),
    [
        *((name, [], f"needs {name}:") for name in REAL),
        ("--write", ["--write", "/nowhere"], "--write /nowhere: there is no such program"),
        ("--usable", ["--usable", "("], "no regular expression"),
        ("--usable", ["--usable", "exec:app"], '"exec:app" is the start of a program'),
        ("", ["--scheduler", "localhost:1"], "--scheduler: only for virtual targets"),
        ("", ["--max-ram", "16MB"], "console does not show"),
        ("", ["--set", "flash=cached"], "--set flash=cached: it is of the timing model"),
        # A level of the images, so that the line is opened next.
        ("", ["--set", "console=quiet"], "/dev/null is no serial line"),
    ],
)
def test_a_tune(
    left_out: str, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [word for option, of in REAL.items() if option != left_out for word in (option, of)]
    target = ["--board", "verdex", "--target", "serial:///dev/null"]
    assert said in refused(["tune", "boot", *target, *given, *more], capsys)


def test_a_tune_of_a_virtual_board_by_another(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tune", "boot", "--board", "verdex", "--target", "virtual:rpi2"]
    assert "--target virtual:rpi2: needs the line of a real board" in refused(words, capsys)
