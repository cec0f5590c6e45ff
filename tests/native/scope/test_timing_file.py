# SPDX-License-Identifier: Apache-2.0
"""The scope's file of a part: what is refused, and where."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

BASE = "isa arm\nclock 1000000000\ncost alu 1000 1000\n"
WORDS = (
    *("isa", "arm", "x86", "clock", "issue", "cost", "alu", "load", "branch", "btb2", "taken"),
    *(
        "indirect",
        "cache",
        "l1d",
        "lru",
        "write=back",
        "allocate=both",
        "hit=0",
        "next=1",
        "tlb",
        "d",
    ),
    *("uncached", "region", "uart", "0", "1", "32", "1000", "0x9000", "-1", "#", "\n", "\0", "\t"),
    *("4294967296", "18446744073709551616"),
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
        ("nonsense 1", "unknown item"),
        ("isa z80", "isa wants"),
        ("clock 10", "clock wants"),
        ("clock -400000000", "clock wants"),
        ("issue 3", "issue wants"),
        ("issue 1 2", "there is more"),
        ("pair alu nothing", "pair wants"),
        ("cost alu", "cost wants ISSUE"),
        ("cost alu 1000 -1", "cost wants ISSUE"),
        ("cost alu 1000 1000 0 9", "there is more"),
        ("cost magic 1000 1000", "cost wants a class"),
        ("early much", "early wants"),
        ("decode 1000", "decode wants"),
        ("accumulate magic 1", "accumulate wants a class"),
        ("accumulate multiply -1", "accumulate wants a class of instructions and thousandths"),
        ("branch 4000 100 btb2", "power of two"),
        ("branch 4000 128 oracle", "none, static or btb2"),
        ("branch 4000 128 btb2 taken", "wants a number"),
        ("branch 4000 128 btb2 targets 17", "wants a number"),
        ("branch 4000 128 btb2 returned -1", "wants a number"),
        ("branch 4000 128 btb2 loaded", "wants a number"),
        ("branch 4000 128 btb2 sideways 1", "no such option"),
        ("cache l9 32768 32 32 fifo write=back allocate=read hit=0", "l1i, l1d, l1 or l2"),
        ("cache l1d 32768 3 32 fifo write=back allocate=read hit=0", "power of two"),
        ("cache l1d 32768 32 33 fifo write=back allocate=read hit=0", "power of two"),
        ("cache l1d 32768 32 32 plru write=back allocate=read hit=0", "lru|fifo|random"),
        ("cache l1d 32768 32 32 fifo write=back allocate=read", "hit=FS"),
        ("cache l2 32768 8 32 lru write=back allocate=both hit=0 next=-1", "next=FS"),
        ("cache l1d 0 1 32 fifo write=back allocate=read hit=0", "cache wants SIZE"),
        ("tlb d 32 5 1000", "power of two"),
        ("tlb d 0 1 1000", "tlb wants"),
        ("pages 0xc0000000 5000", "pages wants"),
        ("memory 1 2 3", "memory wants"),
        ("streams 99", "streams wants"),
        ("streams 4 0", "lines ahead"),
        ("bus -1", "bus wants"),
        ("bus 5 -1", "bus wants"),
        ("uncached -1", "uncached wants FS"),
        ("uncached 5 0x1000", "uncached wants BASE SIZE"),
        ("uncached 5 0 4 8 4 16 4", "more than 2 places"),
        ("filling 0", "filling wants"),
        ("filling 4 sideways", "filling goes"),
        ("preloads 17", "preloads wants"),
        ("misses 0", "misses wants"),
        ("misses 2 together", "misses wants"),
        ("region r 0 0 ram cached 1 1 4 4", "region wants BASE"),
        ("region r 0 0x1000 disk cached 1 1 4 4", "ram|flash|device"),
        ("region r 0 0x1000 flash cached 1 1 3 4", "powers of two"),
        ("region r 0 0x1000 flash cached 1 1 4 4 0", "FILL_FS"),
        ("region r 0x7fffff000 0x2000 flash cached 1 1 4 4", "below 32 GiB"),
        (f"region {'r' * 32} 0 0x1000 flash cached 1 1 4 4", "at most 31"),
        ("uart 0x9000000 5", "uart wants"),
        ("uart 99999999999999999999999 5 5", "uart wants"),
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
