# SPDX-License-Identifier: Apache-2.0
"""Sound, pictures, listings and frames: the same everywhere, and whole or refused."""

import hashlib
import io
import os
import re
import subprocess
import wave
from dataclasses import replace
from pathlib import Path
from statistics import stdev

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.measures.media.audio_encode import track
from perfboard.measures.media.image_index import SUMS
from perfboard.measures.media.image_scale import picture_line, strip
from perfboard.measures.media.listing_search import QUERIES, listing
from perfboard.measures.reading import example_time
from perfboard.model.profile import Value
from perfboard.model.rows import row_line
from tests.support.measures import LIVE, job_of, metrics_of, read

STRIP = "2f67790a26c20bdef37653c43b8335f6ab9364811d982f06879b6127ade60c7e"
LISTING = "5a9e94d89d717a6946903b0b70ca05a3c8262d8fdaeefe89709a4b6b336738db"
INDEX = (
    example_time("index", 2 * 10**9, 10**6)
    + row_line("said", name="sum", text=SUMS[2048, 1536])
    + row_line("said", name="entries", text="4")
)


def test_the_listing_has_the_studys_hits_and_is_the_same_everywhere() -> None:
    lines = listing().decode().splitlines()
    assert len(lines) == 10 * 100 * 24 and 10e6 < len(listing()) < 11e6
    hits = {
        name: sum(bool(re.search(p, line)) for line in lines) for name, (p, _) in QUERIES.items()
    }
    assert hits == {"car": 521, "8pm": 100, "channel": 24}
    assert hashlib.sha256(listing()).hexdigest() == LISTING


def test_the_track_is_a_wave_file_of_its_length() -> None:
    with wave.open(io.BytesIO(track(1))) as file:
        assert (file.getframerate(), file.getnchannels(), file.getnframes()) == (44100, 2, 44100)


def test_the_picture_that_cjpeg_gets_is_of_its_size_and_repeats_a_strip(tmp_path: Path) -> None:
    (tmp_path / "strip").write_bytes(strip(80))
    cjpeg = tmp_path / "cjpeg"
    cjpeg.write_text("#!/bin/sh\ncat\n")
    cjpeg.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", picture_line(80, 70, "out")], cwd=tmp_path, env=path, check=True)
    head, pixels = b"P6\n80 70\n255\n", strip(80) * 2
    assert (tmp_path / "out").read_bytes() == head + pixels and len(pixels) >= 80 * 70 * 3


def test_the_pixels_have_noise_as_a_cameras_and_are_the_same_everywhere() -> None:
    pixels = strip(2048)
    assert hashlib.sha256(pixels).hexdigest() == STRIP
    # Alike in colour, neighbours differ.
    assert stdev(a - b for a, b in zip(pixels, pixels[3:], strict=False)) > 20


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("audio.encode", {"seconds": 100, "bitrate": 128}),
        ("audio.encode", {"seconds": 1, "bitrate": 100}),
        ("audio.encode", {"seconds": "one", "bitrate": 128}),
        ("audio.decode", {"format": "wav"}),
        ("audio.decode", {"seconds": 601}),
        ("image.scale", {"width": 1, "height": 480}),
        ("image.index", {"width": 640, "height": 481}),
        ("image.index", {"pictures": 53}),
        ("image.scale", {"width": 640, "height": True}),
        ("media.record", {"write": "fast"}),
        ("media.record", {"filesystem": "ntfs"}),
        ("media.both", {"records": 9}),
    ],
)
def test_a_parameter_out_of_range_is_refused(name: str, parameters: dict[str, Value]) -> None:
    with pytest.raises(NotMeasurable):
        job_of(name, parameters, EXACT)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (SUMS[2048, 1536], "1 2", "another picture than libjpeg-turbo's: SHA-256 1 2"),
        ('"text":"4"', '"text":"3"', "the page has 3 pictures, not 4"),
        ('"status":0', '"status":1', "djpeg or cjpeg ended with 1"),
        ('"status":0', '"status":139', "SIGSEGV ended djpeg or cjpeg"),
        (
            '"status":0',
            '"status":137',
            "SIGKILL ended djpeg or cjpeg, as a kernel does",
        ),
    ],
)
def test_an_index_of_other_pictures_is_refused(old: str, new: str, said: str) -> None:
    assert metrics_of("image.index", INDEX, {}, EXACT)[0].samples == (0.5,)
    with pytest.raises(NotMeasurable, match=said):
        metrics_of("image.index", INDEX.replace(old, new), {}, EXACT)


@pytest.mark.parametrize("name", ["mp3", "ogg", "flac"])
def test_a_track_is_decoded_as_often_as_there_are_seconds(name: str) -> None:
    script = job_of("audio.decode", {"format": name, "seconds": 3}, EXACT).script
    (timed,) = (line for line in script.splitlines() if " time times decode 1 " in line)
    assert timed.count(f"track.{name}") == 3


def test_a_decoder_that_made_no_second_of_sound_is_refused() -> None:
    taken = example_time("decode", 2 * 10**9, 10**6)
    for words, said in (("44", "44 bytes of a second of sound"), ("", "no bytes")):
        output = row_line("said", name="bytes", text=words) + taken
        with pytest.raises(NotMeasurable, match=said):
            metrics_of("audio.decode", output, {}, EXACT)


def test_a_part_without_cmov_has_a_decoder_that_is_built_for_it_or_none() -> None:
    pentium = replace(EXACT, lacks=frozenset(("cmov", "simd")))
    for name, program in (("mp3", "mpg123.bin"), ("ogg", "oggdec")):
        with pytest.raises(NotMeasurable, match=f"the part lacks CMOV, and Debian's {program}"):
            job_of("audio.decode", {"format": name}, pentium)
    assert job_of("audio.decode", {"format": "flac"}, pentium).codecs == {"flac": "flac"}


def test_a_listing_with_other_hits_is_refused() -> None:
    with pytest.raises(NotMeasurable, match="520 lines in 1 searches for car"):
        metrics_of("listing.search", row_line("said", name="hits.car", text="520"), {}, EXACT)
    # GNU grep counts the first hit alone where its output is thrown away.
    with pytest.raises(NotMeasurable, match="found 1 lines"):
        output = row_line("said", name="hits.car", text="521")
        output += row_line("said", name="counts.car", text="1")
        metrics_of("listing.search", output, {}, EXACT)


def test_streams_of_one_way_are_one_run_and_the_slowest_tells_the_rate() -> None:
    parameters: dict[str, Value] = {"records": 2, "seconds": 1, "write": "direct"}
    # A frame of whole blocks.
    script = job_of("media.both", parameters, EXACT).script
    assert 'media 2 1 "$place" 28672 30 30 direct 0' in script
    fast, slow = [1000] * 30, [2000] * 29 + [90_000]
    flow = {"frames": 30, "called_us": 1000}
    output = "".join(
        row_line("frames", rate=30, stream=stream, took_us=times, since_due_us=times)
        + row_line("flow", stream=stream, **flow, done_us=sum(times))
        for stream, times in (("record", fast), ("record", slow), ("play", fast))
    ) + row_line("writeback", rate=30, dirty_bytes=5, under_way_bytes=6, wrote_bytes=7)
    found = {
        (metric.name.rpartition(".")[2], metric.labels.get("stream")): metric.samples
        for metric in metrics_of("media.both", output, parameters, EXACT)
    }
    assert found["rate", "record"] == pytest.approx((30 / 0.148,))
    assert found["late", "record"] == (1 / 60,) and found["late", "play"] == (0,)
    assert len(found["frame", "record"]) == 60 and found["written", None] == (7,)
    # What passes the page cache by has no rate of it.
    assert ("buffered", "record") not in found


PROBE = """\
#!/bin/sh
case $1 in
media)
    [ "$7" = 0 ] || exit 0
    echo "$6" >> asked
    echo "{\\"row\\":\\"flow\\",\\"stream\\":\\"record\\",\\"frames\\":$6,\\"called_us\\":9,\
\\"done_us\\":$(($6 * 25000 / RATE))}" ;;
disk-place) exit $ON_DISK ;;
say) echo "$@" ;;
esac
"""


@pytest.mark.parametrize(
    ("rate_mb", "on_disk", "expected"),
    [
        # 10 s at 1 MB/s, and half as much again; and a disk whose 10 s are more than may be.
        (1, True, [160, 592, 592]),
        (100, True, [160, 2560, 4000, 4000]),
        (1, False, [160, 160]),
    ],
)
def test_a_stream_goes_for_10_s_at_the_mediums_rate_or_as_far_as_it_may(
    tmp_path: Path, rate_mb: int, on_disk: bool, expected: list[int]
) -> None:
    probe = tmp_path / "probe"
    probe.write_text(PROBE)
    probe.chmod(0o755)
    env = {"PATH": os.environ["PATH"], "PROBE": str(probe), "RATE": str(rate_mb)}
    env["ON_DISK"] = str(int(not on_disk))
    parameters: dict[str, Value] = {"most": 100}
    job = job_of("media.record", parameters, replace(LIVE, repeats=2))
    done = subprocess.run(
        ["sh", "-c", job.script], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    assert (tmp_path / "asked").read_text().split() == [str(frames) for frames in expected]
    # A tmpfs or so has a rate, but no disk's, and it is written to no further.
    assert ("media.record.rate" in done.stdout) == (not on_disk)
    assert done.stdout.count("flow") == 2
    # All of it is named before.
    assert 25_000 * sum(expected) <= job.writes <= 100e6 * 4 + 2 * 3_750_000


def test_a_rate_that_went_to_the_page_cache_is_called_buffered_and_a_short_one_is_said() -> None:
    ends = {"frames": 1000, "called_us": 10_000, "done_us": 5_000_000}
    output = row_line("flow", stream="record", **ends) + row_line(
        "frames", rate=30, stream="record", took_us=[900] * 30, since_due_us=[900] * 30
    )
    facts = replace(LIVE, repeats=1)
    found = read("media.record", output, facts, seconds=1)
    figures = {metric.name: metric.samples[0] for metric in found.metrics}
    assert figures["media.record.rate"] == 200 and figures["media.record.buffered"] == 100_000
    assert "23.84 MiB of each stream" in found.notes[0] and "less than 10 s" in found.notes[0]
    output += row_line("absent", metric="media.record.rate", why="on no disk")
    found = read("media.record", output, facts, seconds=1)
    assert "media.record.rate" not in {metric.name for metric in found.metrics}
    assert not found.notes


def test_an_xfs_is_made_on_a_virtual_boards_disk_and_asked_of_any_other_target() -> None:
    job = job_of("media.record", {"filesystem": "xfs"}, EXACT)
    assert (job.packages, job.features) == (("xfsprogs",), ("xfs",))
    assert "mkfs.xfs -q -f -b size=4096 /dev/pbd" in job.script
    place = job.script.partition("flow()")[0]
    done = subprocess.run(["sh", "-c", f"stat() {{ echo tmpfs; }}; {place}"], capture_output=True)
    assert done.returncode == 1 and b"set TMPDIR to one that is" in done.stderr
    done = subprocess.run(["sh", "-c", f"stat() {{ echo xfs; }}; {place}"], capture_output=True)
    assert done.returncode == 0
