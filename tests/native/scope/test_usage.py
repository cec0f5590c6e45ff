# SPDX-License-Identifier: Apache-2.0
"""How much memory programs have, from the counts of a guest's kernel."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ..sanitized import SCOPE, compile_sanitized

PAGE = 4096
# As Linux 6.1 and others have them: the zones' own come first, and differ in number.
NAMES = ("nr_free_pages", "nr_inactive_anon", "nr_active_anon", "nr_anon_pages", "nr_mapped")
OTHERS = ("nr_free_pages", "nr_zspages", "nr_inactive_anon", "nr_mapped", "x", "nr_anon_pages")


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_sanitized(
        tmp_path_factory.mktemp("usage") / "harness",
        SCOPE,
        Path(__file__).with_name("usage_harness.c"),
        "record/usage.c",
    )


def drive(harness: Path, names: Sequence[str], *lines: str) -> list[str]:
    return subprocess.run(
        [harness, "1000:2000", *names],
        input="\n".join(lines),
        capture_output=True,
        check=True,
        text=True,
    ).stdout.splitlines()


@pytest.mark.parametrize(("names", "own", "mapped"), [(NAMES, 2, 3), (OTHERS, 3, 1)])
def test_memory_is_what_programs_have_of_their_own_and_of_files(
    harness: Path, names: Sequence[str], own: int, mapped: int
) -> None:
    lines = (f"{own} 5", f"{mapped} 3", "0 77", "write", f"{own} 1", "write")
    said = drive(harness, names, *lines)
    assert said == [
        f',"memory":[{8 * PAGE},{8 * PAGE}]',
        f',"memory":[{4 * PAGE},{8 * PAGE}]',
    ]


def test_the_most_is_kept_between_two_marks_and_seen_once_a_millisecond(harness: Path) -> None:
    lines = ("write", "2 9", "look 1000000", "2 90", "look 1000001", "2 1", "look 3000000", "write")
    assert drive(harness, NAMES, *lines, "write")[1:] == [
        f',"memory":[{PAGE},{9 * PAGE}]',
        f',"memory":[{PAGE},{PAGE}]',
    ]


def test_nothing_is_looked_at_before_the_first_mark(harness: Path) -> None:
    assert drive(harness, NAMES, "2 9", "look 5", "2 1", "write") == [
        f',"memory":[{PAGE},{PAGE}]',
    ]


@pytest.mark.parametrize("names", [(), NAMES[:4], ("nr_mapped", "nr_anon_pages")])
def test_a_kernel_that_names_no_such_counts_has_none(harness: Path, names: Sequence[str]) -> None:
    assert drive(harness, names, "write", "look 5", "write") == ["", ""]


def test_a_count_that_is_below_zero_for_a_while_is_none(harness: Path) -> None:
    below = (1 << 32) - 3
    assert drive(harness, NAMES, f"2 {below}", "3 2", "write") == [
        f',"memory":[{2 * PAGE},{2 * PAGE}]'
    ]


@pytest.mark.parametrize("text", ["", "1000", "1000:", ":2000", "0:0", "1000:2000x", "x:y"])
def test_a_wrong_option_is_refused(harness: Path, text: str) -> None:
    assert subprocess.run([harness, text], stdin=subprocess.DEVNULL).returncode == 2
