# SPDX-License-Identifier: Apache-2.0
"""Codecs that are built for older parts than Debian's own."""

from pathlib import Path

import pytest

from perfboard.images.program.codecs import CODECS, common_files
from perfboard.measures.base import EXACT
from perfboard.model.profile import Value
from tests.support.measures import job_of


def test_each_codec_that_a_measure_asks_for_is_known() -> None:
    asked = {}
    flac: dict[str, Value] = {"format": "flac"}
    names = ("media.video", "image.scale", "image.index", "audio.encode", "audio.decode")
    for name in names:
        job = job_of(name, flac if name == "audio.decode" else {}, EXACT)
        assert set(job.codecs) == set(job.packages)
        for codec in job.codecs.values():
            # What the script looks for is built.
            assert set(job.programs) <= set(CODECS[codec].programs)
            asked[codec] = job.programs
    assert {name: set(programs) for name, programs in asked.items()} == {
        name: set(codec.programs) for name, codec in CODECS.items()
    }


@pytest.mark.parametrize(
    ("codec", "names", "found"),
    [
        (
            "libjpeg-turbo",
            ["jcapimin.c", "jdcolor.c", "jdcolext.c", "jdcol565.c", "jcstest.c", "jmemmgr.c"],
            ["jcapimin.c", "jdcolor.c", "jmemmgr.c"],
        ),
        (
            "flac",
            ["src/flac/main.c", "src/libFLAC/ogg_helper.c", "src/libFLAC/lpc_intrin_neon.c"],
            ["src/flac/main.c"],
        ),
        (
            "lame",
            ["libmp3lame/lame.c", "frontend/main.c", "frontend/mp3x.c", "frontend/rtp.c"],
            ["frontend/main.c", "libmp3lame/lame.c"],
        ),
    ],
)
def test_parts_of_other_files_and_other_programs_are_left_out(
    codec: str, names: list[str], found: list[str], tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert common_files(CODECS[codec], tmp_path) == found
