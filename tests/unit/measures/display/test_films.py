# SPDX-License-Identifier: Apache-2.0
"""The pictures that a watcher prints, and the page that shows them."""

import base64
import io
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.measures.base import EXACT, Measure, Setting
from perfboard.measures.catalogue import all_measures
from perfboard.measures.display.films import pictures_of, png
from perfboard.measures.display.session import TASK
from perfboard.model.blocks import FilmBlock
from tests.support.measures import setting_of

WHITE, RED = 0xFFFF, 0xF800


def line(*runs: tuple[int, int], size: str = "4 2", moment: str = "first") -> str:
    data = b"".join(struct.pack(">BH", length, colour) for length, colour in runs)
    width, height = map(int, size.split())
    return picture(moment, width, height, base64.b64encode(data).decode())


def picture(moment: str, width: int, height: int, runs: str) -> str:
    head = f'{{"row":"picture","film":"start","moment":"{moment}","time_ns":12000000'
    return f'{head},"width":{width},"height":{height},"runs":"{runs}"}}\n'


def pixels_of(data: bytes) -> tuple[int, int, bytes]:
    """A PNG file's size and pixels, read as RFC 2083 has it."""
    file = io.BytesIO(data)
    assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    parts = {}
    while head := file.read(8):
        (length,), name = struct.unpack(">I", head[:4]), head[4:]
        parts[name] = file.read(length)
        assert struct.unpack(">I", file.read(4))[0] == zlib.crc32(name + parts[name])
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    rows, above = zlib.decompress(parts[b"IDAT"]), bytes(3 * width)
    pixels = b""
    for y in range(height):
        row = rows[y * (3 * width + 1) :][: 3 * width + 1]
        assert row[0] == 2
        above = bytes(a + b & 255 for a, b in zip(row[1:], above, strict=True))
        pixels += above
    return width, height, pixels


@given(st.integers(1, 9), st.integers(1, 9), st.data())
def test_a_file_has_the_pixels_that_it_was_given(
    width: int, height: int, data: st.DataObject
) -> None:
    pixels = data.draw(st.binary(min_size=3 * width * height, max_size=3 * width * height))
    assert pixels_of(png(width, height, pixels)) == (width, height, pixels)


def test_runs_of_a_colour_become_a_picture() -> None:
    films = pictures_of(line((5, WHITE), (3, RED)) + line((8, RED), moment="stable"))
    first, stable = films["start"]
    assert (first.moment, first.time_s, stable.moment) == ("first", 0.012, "stable")
    width, height, pixels = pixels_of(base64.b64decode(first.png))
    assert (width, height) == (4, 2)
    assert pixels == b"\xff\xff\xff" * 5 + b"\xff\0\0" * 3


def test_torn_and_strange_pictures_are_left_out() -> None:
    torn = line((8, RED))[:-4] + "\n" + picture("first", 4, 2, "CP/")
    output = torn + line((7, RED)) + line((8, RED), size="0 2") + line((8, RED), size="9000 1")
    assert pictures_of(output + picture("first", 4, 2, "%%%%")) == {}
    assert len(pictures_of(line((8, RED)) * 100)["start"]) == 64


def films(measure: Measure, output: str, setting: Setting) -> list[FilmBlock]:
    return [each for each in measure.blocks(output, setting) if isinstance(each, FilmBlock)]


def test_a_film_says_which_programs_it_shows_and_how_the_first_counted_sample_ended() -> None:
    output = f"{line((8, WHITE))}{TASK % ('start', 'refused')}{TASK % ('start', 'ok')}"
    switch, toolkit = all_measures()["app.switch"], all_measures()["toolkit"]
    (film,) = films(switch, output, setting_of(switch, {"program": "links2"}, EXACT))
    assert (film.title, film.hash) == ("app.switch: start, links2, sylpheed", "00ff")
    (film,) = films(toolkit, line((8, RED)), setting_of(toolkit, {}, EXACT))
    assert (film.title, film.hash) == ("toolkit: start", "")
    assert film.pictures == pictures_of(line((8, RED)))["start"]


@pytest.mark.parametrize(
    "measure",
    [each for each in all_measures().values() if "display" in type(each).__module__],
    ids=lambda one: one.name,
)
def test_each_measure_on_a_display_finds_its_films(measure: Measure) -> None:
    example = measure.examples[0]
    setting = setting_of(measure, example.parameters, EXACT)
    assert films(measure, f"{example.output}{line((8, WHITE))}", setting)
    assert not films(measure, example.output, setting)
