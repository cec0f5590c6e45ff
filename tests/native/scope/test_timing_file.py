# SPDX-License-Identifier: Apache-2.0
"""The scope's file of a part: what is refused, and where."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import BASE, table

WORDS = (
    *("isa", "arm", "x86", "clock.hz", "cost", "alu", "load", "branch.entries", "branch.predictor"),
    *("btb2", "caches.l1.size", "caches.l1d.ways", "caches.l2.line", "caches.l1i.replacement"),
    *("lru", "core.stores_alone", "true", "tlbs.d.entries", "tlbs.second.ways", "kernel", "region"),
    *("uart", "0", "1", "32", "1000", "0x9000", "-1", "#", "\n", "\0", "\t", "4294967296"),
    "18446744073709551616",
)


@pytest.fixture(scope="session")
def look(
    model_harness: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[bytes], subprocess.CompletedProcess[bytes]]:
    path = tmp_path_factory.mktemp("files") / "timing.txt"

    def run(text: bytes) -> subprocess.CompletedProcess[bytes]:
        path.write_bytes(text)
        return subprocess.run([model_harness, "timing", path], capture_output=True, check=False)

    return run


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("nonsense 1", "unknown table"),
        ("core.nonsense 1", "unknown parameter"),
        ("isa z80", "isa wants"),
        ("clock.hz 10", "clock.hz wants a LARGE from 1000000 to 10000000000"),
        ("clock.hz -400000000", "clock.hz wants"),
        ("core.issue 3", "core.issue wants a COUNT from 1 to 2"),
        ("core.issue 1 2", "there is more"),
        ("core.issue", "core.issue wants"),
        ("core.stores_alone yes", "core.stores_alone wants a FLAG"),
        ("core.prefix -1", "core.prefix wants a CYCLES"),
        ("pair alu nothing", "pair wants"),
        ("cost alu", "cost wants ISSUE"),
        ("cost alu 1000 -1", "cost wants ISSUE"),
        ("cost alu 1000 1000 0 9", "there is more"),
        ("cost magic 1000 1000", "cost wants a class"),
        ("accumulate magic 1", "accumulate wants a class"),
        ("accumulate multiply -1", "accumulate wants a class of instructions and thousandths"),
        ("branch.predictor oracle", "branch.predictor wants a PREDICTOR"),
        ("caches.l9.size 32768", "unknown parameter"),
        ("caches.l1d.replacement plru", "caches.l1d.replacement wants a REPLACEMENT"),
        ("memory.latency 99999999999999999999999", "memory.latency wants a TIME"),
        ("kernel -1 4", "kernel wants BASE SIZE"),
        ("kernel 0x1000", "kernel wants BASE SIZE"),
        ("region r 0 0 ram cached 1 1 4 4", "region wants BASE"),
        ("region r 0 0x1000 disk cached 1 1 4 4", "ram|flash|device"),
        ("region r 0 0x1000 flash cached 1 1 3 4", "powers of two"),
        ("region r 0 0x1000 flash cached 1 1 4 4 0", "FILL_FS"),
        ("region r 0x7fffff000 0x2000 flash cached 1 1 4 4", "below 32 GiB"),
        (f"region {'r' * 32} 0 0x1000 flash cached 1 1 4 4", "at most 31"),
        ("uart 0x9000000", "uart wants"),
        ("uart 99999999999999999999999 5", "uart wants"),
        ("# " + "x" * 300, "too long"),
    ],
)
def test_a_wrong_line_is_named(
    look: Callable[[bytes], subprocess.CompletedProcess[bytes]], line: str, why: str
) -> None:
    done = look((BASE + line + "\n").encode())
    assert done.returncode == 2
    assert done.stderr.startswith(b"line 4: ")
    assert why in done.stderr.decode()


@pytest.mark.parametrize("left_out", BASE.splitlines())
def test_what_is_missing_is_said(
    look: Callable[[bytes], subprocess.CompletedProcess[bytes]], left_out: str
) -> None:
    done = look(BASE.replace(left_out, "").encode())
    assert done.returncode == 2
    assert b"missing" in done.stderr


BTB2 = "branch.predictor btb2\nbranch.entries {}\n"


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (BTB2.format(100), "the entries of btb2"),
        (table("branch", predictor="global"), "the predictor has no entries"),
        (
            table("branch", predictor="global", entries=3072, indirect="true"),
            "the predictor has no room for targets",
        ),
        (table("caches.l1d", size=32768, ways=3, line=32), "a cache's lines and sets"),
        (table("caches.l1", size=32768, ways=32), "a cache's lines and sets"),
        (
            table("caches.l1d", size=64, ways=1, line=64)
            + table("caches.l2", size=64, ways=1, line=32),
            "the lines of l2 are shorter",
        ),
        (table("caches.l1d", size=33 * 32, ways=32, line=33), "a cache's lines and sets"),
        (table("tlbs.d", entries=32, ways=5), "the sets of a TLB"),
        (table("tlbs.d", entries=32), "the sets of a TLB"),
        (table("big_pages", size=5000), "the size of big pages"),
        ("kernel 0 4\n" * 3, "more than 2 places"),
    ],
)
def test_what_does_not_go_together_is_said(
    look: Callable[[bytes], subprocess.CompletedProcess[bytes]], lines: str, why: str
) -> None:
    done = look((BASE + lines).encode())
    assert done.returncode == 2
    assert why in done.stderr.decode()


def test_regions_may_not_overlap_and_are_sixteen(
    look: Callable[[bytes], subprocess.CompletedProcess[bytes]],
) -> None:
    region = "region r{0} {1:#x} 0x1000 ram cached 0 0 4 4\n"
    whole = "".join(region.format(i, i << 12) for i in range(16))
    assert look((BASE + whole).encode()).returncode == 0
    assert b"more than 16" in look((BASE + whole + region.format(16, 16 << 12)).encode()).stderr
    twice = region.format(0, 0) + region.format(1, 0x800)
    assert b"overlaps" in look((BASE + twice).encode()).stderr


@settings(max_examples=40)
@given(
    st.lists(
        st.sampled_from(WORDS) | st.binary(max_size=6).map(lambda raw: raw.decode("latin-1")),
        max_size=60,
    )
)
def test_random_words_do_no_harm(
    look: Callable[[bytes], subprocess.CompletedProcess[bytes]], words: list[str]
) -> None:
    done = look(" ".join(words).encode("latin-1"))
    assert done.returncode in (0, 2), done.stderr
