# SPDX-License-Identifier: Apache-2.0
"""The watcher without X: programs draw to a framebuffer, which is a file here."""

from pathlib import Path

import pytest

from ..sanitized import compile_sanitized
from .test_watch import DISPLAY, HERE, WATCHER, exits, rows, trouble, watch

WIDTH, HEIGHT = 640, 480
BYTES = 2 * WIDTH * HEIGHT
PAGE, BEGIN, STEP = 0, 1, 2
HOW = ("framebuffer",)
# It draws a pixel, and leaves the rest to a process of its own.
PANEL = "#!/bin/sh\nprintf '\\377\\377' | dd of=fb0 conv=notrunc 2> dd.log\n"


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("framebuffer")
    fake = ("-Wl,--wrap=ioctl", "-Wl,--wrap=syscall", HERE / "framebuffer.c")
    compile_sanitized(folder / "watch", DISPLAY, '-DFRAMEBUFFER="fb0"', *WATCHER, *fake)
    return folder


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """The folder of a trial, whose framebuffer has what a bootloader left there."""
    (tmp_path / "fb0").write_bytes(b"\1" * BYTES)
    return tmp_path


def panel(board: Path, then: str) -> str:
    (board / "panel").write_text(f"{PANEL}{then}\n")
    (board / "panel").chmod(0o700)
    return "start start ./panel"


def test_a_program_draws_and_is_asked_to_end_by_a_signal(tools: Path, board: Path) -> None:
    starts = panel(board, "sleep 60")
    plan = ["quiet 100 100", "reference start 1", f"?{starts}", "end", starts, "memory start"]
    done = watch(tools, board, *plan, "close exit 0", how=HOW)
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = [(row["outcome"], row["reason"]) for row in rows(done.stdout, "watched")]
    assert outcomes == [("calibration", ""), ("ok", "")]
    (left,) = rows(done.stdout, "left")
    assert (left["label"], left["outcome"], left["reason"]) == ("exit", "ok", "")
    # There is no server, and so no size of one.
    assert [row["of"] for row in rows(done.stdout, "memory")] == ["program", "system"]
    assert (board / "fb0").read_bytes() == b"\377\377".ljust(BYTES, b"\0")


def test_the_scope_is_told_where_the_pixels_are(tools: Path, board: Path) -> None:
    starts = panel(board, "sleep 60")
    done = watch(tools, board, "quiet 100", starts, "end", how=HOW)
    calls = [tuple(map(int, line.split())) for line in (board / "calls").read_text().splitlines()]
    pages = [(PAGE, number, 0x5FF00 + number) for number in range(BYTES // 4096)]
    assert calls[: len(pages)] == pages
    (task,) = rows(done.stdout, "watched")
    # From the first word on, with two pixels in each.
    steps = [(STEP, task["begin"], 0), (STEP, task["end"], 0)]
    assert calls[len(pages) :] == [(BEGIN, 0, WIDTH // 2), *steps]
    # It is black again for the next.
    assert not any((board / "fb0").read_bytes())


@pytest.mark.parametrize(
    ("then", "why"),
    [
        ("trap '' TERM; sleep 60", "it has not ended"),
        ("trap 'kill -SEGV $$' TERM; sleep 60 & wait", "panel was ended by signal 11"),
    ],
)
def test_an_exit_that_is_none_is_refused(tools: Path, board: Path, then: str, why: str) -> None:
    plan = ["quiet 100", panel(board, then), "limit 500", "close exit 0", "end"]
    done = watch(tools, board, *plan, how=HOW)
    (left,) = rows(done.stdout, "left")
    assert left["outcome"] == "refused" and left["reason"].startswith(why)
    assert not exits(done.stdout)


def test_a_program_that_draws_and_ends_is_told(tools: Path, board: Path) -> None:
    done = watch(tools, board, "quiet 100", panel(board, "exit 3"), "close exit 0", how=HOW)
    (watched,), (left,) = (rows(done.stdout, name) for name in ("watched", "exit"))
    assert watched["reason"] == left["reason"] == "panel ended by itself with status 3"


@pytest.mark.parametrize("line", ["key a 61", "raise a 0", "click a 1 1", "type abc"])
def test_what_needs_x_is_not_obeyed(tools: Path, board: Path, line: str) -> None:
    done = watch(tools, board, line, how=HOW)
    assert done.returncode == 1 and trouble(done.stdout).endswith("cannot be done")


def test_a_framebuffer_that_is_not_there_or_another_is_told(tools: Path, board: Path) -> None:
    (board / "fb0").write_bytes(bytes(2 * BYTES))
    why = trouble(watch(tools, board, how=HOW).stdout)
    assert why.startswith("fb0 has 640 x 480 pixels of 32 bits, and the board's file has 640 x 480")
    (board / "fb0").unlink()
    why = trouble(watch(tools, board, how=HOW).stdout)
    assert why.startswith("fb0: No such file or directory; the board's kernel needs CONFIG_FB")
