# SPDX-License-Identifier: Apache-2.0
"""The scope's look for the first pixel that changes in a guest's framebuffer."""

import subprocess
from pathlib import Path

import pytest

from ..sanitized import SCOPE, compile_sanitized

# A page and a half from the second page on.
FRAME = "1000:1800"


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_sanitized(
        tmp_path_factory.mktemp("picture") / "harness",
        SCOPE,
        Path(__file__).with_name("picture_harness.c"),
        "record/picture.c",
    )


def seen(harness: Path, *lines: str, frame: str = FRAME) -> str:
    done = subprocess.run(
        [harness, frame], input="\n".join(lines), check=True, text=True, capture_output=True
    )
    return done.stdout


def test_a_change_is_seen_once_with_the_time_since_the_look_before(harness: Path) -> None:
    looks = ("look 2000000", "store 10239 1", "look 2500000", "look 3200000", "store 5000 1")
    # The one in between is too soon.
    assert seen(harness, "begin 0", *looks, "look 9000000") == "3200000 1200000\n"


@pytest.mark.parametrize("place", [4095, 10_240])
def test_what_lies_outside_is_no_pixel(harness: Path, place: int) -> None:
    assert seen(harness, "begin 0", f"store {place} 1", "look 2000000") == ""


def test_what_a_bootloader_left_there_is_no_picture(harness: Path) -> None:
    before = ("look 2000000", "store 5000 7", "begin 3000000", "look 5000000")
    assert seen(harness, *before) == ""
    assert seen(harness, *before, "store 5000 8", "look 6500000") == "6500000 1500000\n"


def test_a_framebuffer_beyond_the_memory_changes_never(harness: Path) -> None:
    assert seen(harness, "begin 0", "look 2000000", frame="8000:1000") == ""


@pytest.mark.parametrize("frame", ["", "1000", "1000:", "1000:0", "1001:10", "1000:x"])
def test_a_wrong_place_is_refused(harness: Path, frame: str) -> None:
    assert subprocess.run([harness, frame], input=b"").returncode == 2
