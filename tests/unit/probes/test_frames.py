# SPDX-License-Identifier: Apache-2.0
"""Frames: what one side sends is what the other reads, whatever lies in between."""

import zlib

from hypothesis import given
from hypothesis import strategies as st

from perfboard.probes.frames import (
    LONGEST_PAYLOAD,
    REQUEST,
    Decoder,
    Frame,
    decode,
    encode,
    join,
)
from tests.support.probe_peer import split

texts = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E))
frames = st.builds(
    Frame,
    id=st.integers(0, 999_999_999),
    number=st.integers(0, 999_999_999),
    kind=st.sampled_from("?*+=.!"),
    payload=st.text(
        st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=LONGEST_PAYLOAD
    ),
)
garbage = st.binary(max_size=600).map(lambda b: b.replace(b"\n", b"~"))


def test_a_frame_is_as_the_protocol_says() -> None:
    checksum = zlib.crc32(b"7.0:?run 30 memory.latency")
    line = encode(Frame(7, 0, REQUEST, "run 30 memory.latency"))
    assert line == b"~7.0:%08x:?run 30 memory.latency\n" % checksum


@given(frames, st.sampled_from([b"\n", b"\r\n", b""]))
def test_a_frame_survives_the_way(frame: Frame, end: bytes) -> None:
    assert decode(encode(frame)[:-1] + end) == frame


@given(frames, garbage)
def test_garbage_before_a_frame_is_passed_over(frame: Frame, before: bytes) -> None:
    assert decode(before + encode(frame)) == frame


@given(frames, st.data())
def test_no_changed_byte_makes_another_frame(frame: Frame, data: st.DataObject) -> None:
    line = bytearray(encode(frame)[:-1])
    place = data.draw(st.integers(0, len(line) - 1))
    line[place] = data.draw(st.integers(0, 255).filter(lambda b: b != line[place]))
    assert decode(bytes(line)) is None


@given(frames, st.data())
def test_no_lost_or_doubled_byte_makes_another_frame(frame: Frame, data: st.DataObject) -> None:
    line = encode(frame)[:-1]
    place = data.draw(st.integers(0, len(line) - 1))
    assert decode(line[:place] + line[place + 1 :]) is None
    doubled = line[: place + 1] + line[place:]
    # A second `~` in front is garbage before a whole frame.
    assert decode(doubled) == (frame if place == 0 else None)


@given(frames, frames)
def test_of_two_frames_whose_line_end_was_lost_the_last_is_read(a: Frame, b: Frame) -> None:
    assert decode(encode(a)[:-1] + encode(b)) == b


def test_a_frame_inside_a_payload_is_not_taken_out_of_it() -> None:
    outer = Frame(3, 1, "=", encode(Frame(3, 2, ".", "exit 0")).decode().rstrip())
    assert decode(encode(outer)) == outer


@given(garbage)
def test_nothing_makes_it_fail(line: bytes) -> None:
    found = decode(line)
    assert found is None or line.rstrip(b"\r").endswith(encode(found)[:-1])


@given(st.lists(texts.map(lambda t: t * 7)), st.integers(1, 1000))
def test_any_lines_survive_splitting_and_joining(lines: list[str], id: int) -> None:
    parts = list(split(id, lines))
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    assert all(len(part.payload) <= LONGEST_PAYLOAD for part in parts)
    assert join(parts) == lines


def test_a_line_that_was_cut_short_is_kept() -> None:
    assert join([Frame(1, 1, "=", "whole"), Frame(1, 2, "+", "cut")]) == ["whole", "cut"]


@given(st.lists(st.one_of(frames.map(encode), garbage.map(lambda g: g + b"\n"))), st.data())
def test_the_decoder_does_not_see_how_a_stream_is_cut(
    lines: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(lines)
    whole = [frame for _, frame in Decoder().feed(stream)]
    decoder, cut = Decoder(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        cut += [frame for _, frame in decoder.feed(stream[:size])]
        stream = stream[size:]
    assert cut == whole == [decode(line) for line in lines]


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    decoder = Decoder()
    for _ in range(100):
        assert list(decoder.feed(b"x" * 10_000)) == []
    assert len(decoder.unfinished) < 1000
    frame = Frame(1, 1, "=", "still read")
    assert [found for _, found in decoder.feed(encode(frame))] == [frame]
