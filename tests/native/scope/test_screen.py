# SPDX-License-Identifier: Apache-2.0
"""The scope's look at a guest's screen, from a guest's memory to the pictures that are read."""

import re
import subprocess
from pathlib import Path

import pytest

from perfboard.instruments.screen import EmulatedScreen

from ..sanitized import ROOT, SCOPE, compile_sanitized

PAGE, BEGIN, STEP = 0x6B706200, 0x6B706201, 0x6B706202
# Two pages, in no order, with a head of four words; lines of 40 words, of which 32 are pixels.
SHOWN = (f"call {PAGE:x} 0 5 0", f"call {PAGE:x} 1 3 0", f"call {BEGIN:x} 4 40 1000")
WIDTH, HEIGHT = 32, 50


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_sanitized(
        tmp_path_factory.mktemp("screen") / "harness",
        SCOPE,
        Path(__file__).with_name("screen_harness.c"),
        "record/screen.c",
    )


def drive(harness: Path, path: Path, *lines: str) -> EmulatedScreen:
    subprocess.run([harness, path], input="\n".join(lines), check=True, text=True)
    return EmulatedScreen(path, WIDTH, HEIGHT)


def test_a_change_has_the_time_of_the_look_that_found_it(harness: Path, tmp_path: Path) -> None:
    screen = drive(
        harness,
        tmp_path / "screen",
        *SHOWN,
        f"call {STEP:x} 1 0 2000",
        *("store 5 4 255", "look 200000", "look 300000"),  # The first is too soon.
        *("store 3 0 65280", "idle 310000"),
        *("store 5 44 7", f"call {STEP:x} 2 0 400000"),
    )
    (span,) = screen.spans({1: 2}, []).values()
    assert (span.began_ns, span.ended_ns) == (2000, 400000)
    # The second page begins with word 1024, which is pixel 20 of line 25.
    assert [(look.ns, look.words.tolist(), look.values.tolist()) for look in span.looks] == [
        (300000, [0], [255]),
        (310000, [25 * WIDTH + 20], [65280]),
        (400000, [WIDTH], [7]),
    ]
    assert not span.before.any() and span.after[0] == 255
    assert span.at(0)[0] == 255 and span.at(0)[WIDTH] == 0


def test_what_is_masked_or_no_pixel_does_not_count(harness: Path, tmp_path: Path) -> None:
    screen = drive(
        harness,
        tmp_path / "screen",
        *SHOWN,
        f"call {STEP:x} 1 0 2000",
        # The head, the end of a line, and the byte that is no colour.
        *("store 5 0 1", "store 5 40 1", f"store 5 4 {0x11000000}", "store 5 45 9"),
        "look 300000",
        f"call {STEP:x} 2 0 400000",
    )
    assert screen.spans({1: 2}, [(1, 1, 2, 2)])[1].looks == []
    assert len(screen.spans({1: 2}, [])[1].looks) == 1


def test_calls_that_are_not_ours_and_frames_that_are_none_are_left(
    harness: Path, tmp_path: Path
) -> None:
    calls = (f"call {PAGE:x} 1 4096 0", f"call {PAGE:x} {1 << 31} 1 0", "call 3 0 0 0")
    screen = drive(harness, tmp_path / "screen", *calls, *SHOWN, f"call {STEP:x} 1 0 9")
    assert screen.spans({1: 2}, []) == {}


def test_a_torn_record_is_refused(harness: Path, tmp_path: Path) -> None:
    path = tmp_path / "screen"
    drive(harness, path, *SHOWN, "store 5 4 255", "look 300000")
    whole = path.read_bytes()
    for size in range(16, len(whole)):
        path.write_bytes(whole[:size])
        if size not in (16, len(whole)):
            with pytest.raises(ValueError, match="torn"):
                EmulatedScreen(path, WIDTH, HEIGHT).spans({}, [])


def test_the_watcher_and_the_scope_know_the_same_calls() -> None:
    """The two are programs of their own, under licences of their own."""
    watcher = (ROOT / "native/display/scope.c").read_text()
    scope = (SCOPE / "record/screen.h").read_text()
    first = re.compile(r"= (0x6b7\w+),")
    assert first.findall(watcher) == first.findall(scope) == [f"{PAGE:#x}"]
    names = re.search(r"enum \{ PAGE_IS = \w+, (\w+), (\w+) \}", watcher)
    assert names and names.groups() == ("BEGIN", "STEPPED")
    assert re.search(r"SCREEN_PAGE = .*\n\tSCREEN_BEGIN,.*\n\tSCREEN_STEPPED,", scope)
