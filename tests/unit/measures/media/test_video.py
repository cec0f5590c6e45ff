# SPDX-License-Identifier: Apache-2.0
"""Video: pictures that move and are the same everywhere, and frames a second beyond the start."""

import hashlib
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.bench.base import KnownFacts
from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.measures.media.video import moving_pictures
from perfboard.measures.reading import example_time
from perfboard.model.profile import Value
from tests.support.measures import LIVE, job_of, metrics_of

PICTURES = "230ba9ee2c796b73cb204f929d5c384586117c77a37ce6ca2d1d05bc1f492b3e"


def test_the_pictures_move_and_are_the_same_everywhere() -> None:
    pictures = moving_pictures(320, 240)
    size = 320 * 240 * 3 // 2
    assert len(pictures) == 10 * size and hashlib.sha256(pictures).hexdigest() == PICTURES
    first, second = pictures[:size], pictures[size : 2 * size]
    # A step to the left, but for the noise.
    assert all(abs(a - b) < 16 for a, b in zip(first[4:320], second[:316], strict=True))
    assert max(abs(a - b) for a, b in zip(first[:320], second[:320], strict=True)) > 4


def test_the_picture_that_cjpeg_gets_has_all_its_rows(tmp_path: Path) -> None:
    job = job_of("media.video", {"width": 64, "height": 130, "frames": 2}, EXACT)
    for name, data in job.files.items():
        (tmp_path / name).write_bytes(data)
    first, _ = job.script.split("\n", 1)
    subprocess.run(["sh", "-c", first], cwd=tmp_path, check=True)
    picture = (tmp_path / "frame.ppm").read_bytes()
    assert picture.startswith(b"P6\n64 130\n255\n") and len(picture) >= 64 * 130 * 3


@pytest.mark.parametrize(
    ("parameters", "facts", "counts"),
    [
        ({}, EXACT, ["30"]),
        ({}, LIVE, ["300"]),
        ({"codec": "h264"}, EXACT, ["1", "31"]),
        ({"codec": "h264", "frames": 99}, LIVE, ["1", "100"]),
    ],
)
def test_so_many_frames_are_timed(
    parameters: dict[str, Value], facts: KnownFacts, counts: list[str]
) -> None:
    script = job_of("media.video", parameters, facts).script
    lines = [line for line in script.splitlines() if " time times " in line]
    assert [line.split("encode.sh ")[1].split()[0] for line in lines] == counts


def test_h264_is_less_than_its_start() -> None:
    output = example_time("start", 10**9, 0) + example_time("frames", 10**9, 0)
    with pytest.raises(NotMeasurable, match="give more frames"):
        metrics_of("media.video", output, {"codec": "h264"}, EXACT)


@pytest.mark.parametrize("kind", ["thumb", "float", "cmov"])
def test_a_part_that_lacks_instructions_of_ffmpegs_has_mjpeg_alone(kind: str) -> None:
    older = replace(EXACT, lacks=frozenset((kind, "neon")))
    assert job_of("media.video", {}, older).codecs
    with pytest.raises(NotMeasurable, match=f"the part lacks .{kind}."):
        job_of("media.video", {"codec": "h264"}, older)
    assert job_of("media.video", {"codec": "h264"}, replace(EXACT, lacks=frozenset(("neon",))))


@pytest.mark.parametrize(
    "parameters",
    [{"codec": "mpeg2"}, {"width": 321}, {"height": 62}, {"width": 1922}, {"frames": 10_001}],
)
def test_a_parameter_out_of_range_is_refused(parameters: dict[str, Value]) -> None:
    with pytest.raises(NotMeasurable):
        job_of("media.video", parameters, EXACT)
