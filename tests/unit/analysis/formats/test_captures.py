# SPDX-License-Identifier: Apache-2.0
"""Captures: all formats give the same edges, of damaged files too, or say what is wrong."""

import io
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.formats import capture as captures
from perfboard.analysis.formats.capture import Capture
from perfboard.analysis.formats.saleae import read_saleae_binary, read_saleae_table
from perfboard.analysis.formats.sigrok import read_sigrok
from perfboard.analysis.formats.vcd import read_vcd
from tests.support.captures import saleae_binary, saleae_table, sigrok, vcd
from tests.support.recorded import DATA

Read = Callable[[BinaryIO, Mapping[str, int]], Capture]
EDGES = {"D0": [1000, 5000, 9000], "D1": [5000], "usable": [123_000]}
WANTED = {"D0": 2, "usable": 1}


def _binary(stream: BinaryIO, wanted: Mapping[str, int]) -> Capture:
    return read_saleae_binary(stream, "D0", {name: n for name, n in wanted.items() if name == "D0"})


FORMS: dict[str, tuple[Read, bytes]] = {
    "vcd": (read_vcd, vcd(EDGES)),
    "sigrok": (read_sigrok, sigrok(EDGES, 1000, 200, 7)),
    "saleae-csv": (read_saleae_table, saleae_table(EDGES)),
    "saleae-0": (_binary, saleae_binary(EDGES["D0"])),
    "saleae-1": (_binary, saleae_binary(EDGES["D0"], 1)),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_first_edges_of_each_channel(form: str) -> None:
    read, data = FORMS[form]
    found = read(io.BytesIO(data), WANTED)
    right = {"D0": [1000, 5000]} if "saleae-" in form and form[-1] in "01" else None
    assert found.edges == (right or {"D0": [1000, 5000], "usable": [123_000]})


def test_programs_of_sigrok_wrote_the_same_capture_twice() -> None:
    folder = DATA / "captures"
    wanted = {"D0": 40, "D1": 40, "D3": 40}
    found = []
    for read, name in ((read_vcd, "demo.vcd"), (read_sigrok, "demo.sr")):
        with (folder / name).open("rb") as stream:
            found.append(read(stream, wanted))
    assert found[0].edges == found[1].edges
    assert found[0].step_ns == found[1].step_ns == 1000
    assert sum(map(len, found[0].edges.values())) >= 80


@given(
    st.dictionaries(
        st.sampled_from(["D0", "D1", "D2"]),
        st.sets(st.integers(1, 400), max_size=30).map(
            lambda places: [p * 10 for p in sorted(places)]
        ),
        min_size=1,
    ),
    st.integers(1, 30),
    st.integers(20, 200),
)
def test_edges_across_portions(edges: dict[str, list[int]], count: int, portion: int) -> None:
    wanted = dict.fromkeys(edges, count)
    right = {name: places[:count] for name, places in edges.items()}
    whole = captures.PORTION

    class Short(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(portion if size == whole else size)

    assert read_vcd(Short(vcd(edges)), wanted).edges == right
    assert read_saleae_table(Short(saleae_table(edges)), wanted).edges == right
    assert read_sigrok(io.BytesIO(sigrok(edges, 10, 410, portion)), wanted).edges == right


@pytest.mark.parametrize(
    ("read", "data", "said"),
    [
        (read_vcd, b"hello\n", "no end"),
        (read_vcd, b"$enddefinitions $end\n#0\n", "no unit of time"),
        (read_vcd, vcd({"X": []}), "no channel D0, usable; its channels are X"),
        (read_vcd, vcd(EDGES).replace(b"#5000", b"#10"), "go back"),
        (read_sigrok, b"PK\3\4", "damaged"),
        (read_sigrok, sigrok(EDGES, 1000, 200)[:-40], "damaged"),
        (read_saleae_table, b"Time,0\n", "does not begin"),
        (read_saleae_table, saleae_table(EDGES).replace(b",1,0", b",7,0"), "no change"),
        (_binary, b"<SALEAE>", "ends in the middle"),
        (_binary, saleae_binary([1]).replace(b">\0", b">\7"), "version 7"),
        (_binary, saleae_binary([2**80]), "no capture lasts"),
    ],
)
def test_what_is_wrong_is_said(read: Read, data: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(io.BytesIO(data), WANTED)


PIECES = (
    *(
        b"#99999999999999999999 ",
        b"#1 ",
        b"$end",
        b"\n",
        b"\0",
        b"0!",
        b'1"',
        b"$var wire 1 ! D0 $end",
    ),
    *(
        b"-1",
        b"1e999",
        b"NaN",
        b"X",
        b",",
        b"\xff" * 8,
        b"$timescale 1 s $end",
        b"logic-1-",
        b"9" * 30,
    ),
)


def try_one(seed: int) -> str:
    """How one damaged capture is read."""
    chance = random.Random(seed)
    form = chance.choice([*FORMS])
    read, whole = FORMS[form]
    data = bytearray(whole)
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(4):
            case 0:
                del data[at : at + chance.choice([1, 4, 40])]
            case 1:
                data[at : at + chance.choice([0, 1, 8])] = chance.choice(PIECES)
            case 2 if data:
                data[min(at, len(data) - 1)] = chance.randrange(256)
            case _:
                data = data[:at] or data
    try:
        found = read(io.BytesIO(bytes(data)), WANTED)
    except ValueError as error:
        assert str(error)
        return f"{form} refused"
    for edges in found.edges.values():
        assert all(abs(edge) < 2**63 for edge in edges)
    return form


def test_damaged_captures_are_read_or_refused() -> None:
    assert len(Counter(map(try_one, range(2000)))) == 2 * len(FORMS)


if __name__ == "__main__":
    began = time.monotonic()
    counts = Counter(map(try_one, range(10**6, 10**6 + int(sys.argv[1]))))
    sys.stdout.write(f"{time.monotonic() - began:.0f} s: {dict(counts)}\n")
