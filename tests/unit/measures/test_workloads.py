# SPDX-License-Identifier: Apache-2.0
"""The workloads: what they make is the same everywhere, and what they read is whole or refused."""

import hashlib
import io
import re
import shlex
import subprocess
import wave

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import Workload, all_workloads
from perfboard.measures.media.audio_encode import track
from perfboard.measures.media.image_index import SUMS
from perfboard.measures.media.image_scale import picture
from perfboard.measures.media.listing_search import QUERIES, listing
from perfboard.measures.reading import printed, times_of
from perfboard.model.profile import Value

WORKLOADS = sorted(all_workloads().values(), key=lambda one: one.name)
TIME = "2000000000 500000 500000 1024 0 0\n"


# What a workload has no default for.
CAT = {"prepare": "true", "command": "cat disc"}
GIVEN: dict[str, dict[str, Value]] = {
    "memory.application": {"command": "sleep 3", "task": "true"},
    "stream.write": {**CAT, "buffer": 100_000},
    "stream.buffer": {**CAT, "buffer": 100_000, "starts": 5},
    "stream.rate": {**CAT, "buffer": 100_000},
}
SIZES = """\
@sizes
00001000-07ffffff : System RAM
  00100000-003fffff : Kernel code
  00400000-004fffff : Kernel data
80000000-80000fff : serial
MemTotal:        126000 kB
@module loop 32768 0 - Live 0x00000000
@module fat 65536 1 vfat, Live 0x00000000
@file 935000
"""
# What each writes, as the probe prints it: all of them ten times the buffer.
WRITINGS = "".join(
    f"@stream 1000000 0 0 {need} 90000 300 100 500 600 2000000\n"
    for need in (70_000, 80_000, 75_000, 64_000, 99_000)
)
FRAMES = "900 34000\n" * 150
MEMORY = "@before 9000000\n" + "".join(
    f"@memory {when} 3000 2000 1000 8000000\n" for when in ("start", "highest", "lasting")
)


def defaults(workload: Workload) -> dict[str, Value]:
    known = {name: each.default for name, each in workload.parameters.items()}
    return known | GIVEN.get(workload.name, {})


def test_the_listing_has_the_studys_hits_and_is_the_same_everywhere() -> None:
    lines = listing().decode().splitlines()
    assert len(lines) == 10 * 100 * 24 and 10e6 < len(listing()) < 11e6
    hits = {
        name: sum(bool(re.search(p, line)) for line in lines) for name, (p, _) in QUERIES.items()
    }
    assert hits == {"car": 521, "8pm": 100, "channel": 24}
    assert hashlib.sha256(listing()).hexdigest() == LISTING


PICTURE = "9c9d095d8be2799527993c67fffb13d2cd329cd3096b3114cff94225eea36964"
LISTING = "5a9e94d89d717a6946903b0b70ca05a3c8262d8fdaeefe89709a4b6b336738db"


def test_the_track_is_a_wave_file_of_its_length() -> None:
    with wave.open(io.BytesIO(track(1))) as file:
        assert (file.getframerate(), file.getnchannels(), file.getnframes()) == (44100, 2, 44100)


def test_the_picture_is_of_its_size() -> None:
    head, pixels = picture(64, 64)[:13], picture(64, 64)[13:]
    assert head == b"P6\n64 64\n255\n" and len(pixels) == 64 * 64 * 3


@pytest.mark.parametrize(
    "workload",
    # Files of their own have those on a display.
    [one for one in WORKLOADS if not one.plan(defaults(one), 2).display],
    ids=lambda one: one.name,
)
def test_a_workload_gives_the_metrics_that_it_names(workload: Workload) -> None:
    parameters = defaults(workload)
    work = workload.plan(parameters, 2)
    labels = re.findall(r"@time (\S+);", work.script)
    media = [line.split() for line in re.findall(r"media (.*) \|\|", work.script)]
    output = "".join(f"@time {label}\n{TIME}{TIME}" for label in labels)
    output += "".join(
        f"@say hits.{query} {2 * hits}\n@say counts.{query} {hits} {hits}\n"
        for query, (_, hits) in QUERIES.items()
    )
    for words in media:
        output += f"@rate {words[5]}\n" + int(words[0]) * f"@media record\n{FRAMES}"
        output += int(words[1]) * f"@media play\n{FRAMES}" + "@writeback 9000 4096 40960\n"
    if workload.name == "image.index":
        output += f"@say sum {SUMS[640, 480]}\n@say entries 4\n"
    output += SIZES * work.script.count("echo @sizes")
    output += MEMORY * len(re.findall(r'PROBE" memory', work.script))
    count = 5 if workload.name == "stream.buffer" else 2
    # The writings that the probe is asked for, and what a search ends with.
    if workload.name.startswith("stream."):
        output += "".join(WRITINGS.splitlines(keepends=True)[:count]) + "@rate 150000 160000\n"
    metrics = workload.read(output, parameters, 2)
    assert {metric.name for metric in metrics} == set(workload.metrics)
    bounded = [metric for metric in metrics if "bound" in metric.labels]
    assert len(bounded) in (0, 3) and all(len(metric.samples) == 1 for metric in bounded)
    others = [m for m in metrics if m not in bounded and not m.name.endswith(".frame")]
    assert all(len(metric.samples) == count for metric in others)
    own = [word for word in GIVEN.get(workload.name, {}).values() if isinstance(word, str)]
    assert list(workload.commands(parameters)) == own


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda one: one.name)
@given(output=st.text(alphabet="@time say0123456789 .\n", max_size=200))
def test_any_output_is_read_or_refused(workload: Workload, output: str) -> None:
    try:
        workload.read(output, defaults(workload), 1)
    except NotMeasurable as error:
        assert str(error)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("audio.encode", {"seconds": 100, "bitrate": 128}),
        ("audio.encode", {"seconds": 1, "bitrate": 100}),
        ("audio.encode", {"seconds": "one", "bitrate": 128}),
        ("image.scale", {"width": 1, "height": 480}),
        ("image.index", {"width": 640, "height": 481}),
        ("image.index", {"pictures": 53}),
        ("image.scale", {"width": 640, "height": True}),
        ("media.record", {"write": "fast"}),
        ("media.record", {"filesystem": "ntfs"}),
        ("media.both", {"records": 9}),
        ("memory.application", {}),
        ("stream.write", {}),
        ("stream.write", {"command": "x", "buffer": 100}),
        ("stream.write", {"command": "x", "rate": 1}),
        ("stream.write", {"command": "x", "word_ns": -1}),
        ("stream.write", {"command": "x", "word_ns": 1_000_001}),
        ("stream.buffer", {"command": "x", "starts": 4}),
        ("stream.buffer", {"command": "x", "safe": 100}),
        ("memory.application", {"command": 3}),
        ("memory.application", {"command": "x", "packages": "-o evil"}),
    ],
)
def test_a_parameter_out_of_range_is_refused(name: str, parameters: dict[str, Value]) -> None:
    workload = all_workloads()[name]
    known = {name: each.default for name, each in workload.parameters.items()}
    with pytest.raises(NotMeasurable):
        workload.plan(known | parameters, 1)


def test_a_command_is_one_word_of_the_script() -> None:
    workload = all_workloads()["memory.application"]
    parameters = defaults(workload) | {"command": "echo '; rm -rf /", "task": ""}
    line = workload.plan(parameters, 1).script.splitlines()[-1]
    assert shlex.split(line.removesuffix(" || exit 1"))[1:] == [
        "memory",
        "1000",
        "echo '; rm -rf /",
    ]


def test_a_safe_buffer_is_of_whole_chunks_with_its_interval() -> None:
    workload = all_workloads()["stream.buffer"]
    sizes = {
        metric.labels["bound"]: metric.samples[0]
        for metric in workload.read(WRITINGS, defaults(workload), 1)
        if metric.labels
    }
    assert all(size % 63_488 == 0 for size in sizes.values())
    assert 99_000 < sizes["likely"] < sizes["most"] and sizes["least"] <= sizes["likely"]


def test_a_full_buffer_is_not_taken_for_a_steady_state() -> None:
    workload = all_workloads()["stream.write"]
    parameters = defaults(workload) | {"buffer": 200_000}
    with pytest.raises(NotMeasurable, match="2,000,000: write more"):
        workload.read(WRITINGS.splitlines()[0], parameters, 1)
    assert workload.read(WRITINGS.splitlines()[0], parameters | {"begin": 20}, 1)


def test_no_rate_is_safe_where_all_fail() -> None:
    workload = all_workloads()["stream.rate"]
    with pytest.raises(NotMeasurable, match="no rate was safe, down to 4687"):
        workload.read(WRITINGS + "@rate 0 4687\n", defaults(workload), 1)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (SUMS[640, 480], "1 2", "another picture than libjpeg-turbo's: SHA-256 1 2"),
        ("entries 4", "entries 3", "the page has 3 pictures, not 4"),
        (" 0 0\n", " 1 0\n", "djpeg or cjpeg ended with 1"),
        (" 0 0\n", " 139 0\n", "SIGSEGV ended djpeg or cjpeg"),
        (" 0 0\n", " 137 0\n", "SIGKILL ended djpeg or cjpeg, as a kernel does when memory ends"),
    ],
)
def test_an_index_of_other_pictures_is_refused(old: str, new: str, said: str) -> None:
    workload = all_workloads()["image.index"]
    output = f"@time index\n{TIME}@say sum {SUMS[640, 480]}\n@say entries 4\n"
    assert workload.read(output, defaults(workload), 1)[0].samples == (0.5,)
    with pytest.raises(NotMeasurable, match=said):
        workload.read(output.replace(old, new), defaults(workload), 1)


def test_the_inputs_of_an_index_are_the_same_everywhere() -> None:
    assert hashlib.sha256(picture(640, 480)).hexdigest() == PICTURE


def test_a_listing_with_other_hits_is_refused() -> None:
    with pytest.raises(NotMeasurable, match="520 lines in 1 searches for car"):
        all_workloads()["listing.search"].read("@say hits.car 520\n", {}, 1)
    # GNU grep counts the first hit alone where its output is thrown away.
    with pytest.raises(NotMeasurable, match="found 1 lines"):
        all_workloads()["listing.search"].read("@say hits.car 521\n@say counts.car 1\n", {}, 1)


def test_the_kernels_sizes_are_those_of_the_files_in_proc() -> None:
    workload = all_workloads()["kernel.image"]
    found = {metric.name: metric.samples for metric in workload.read(SIZES, {}, 1)}
    assert found == {
        "kernel.image.code": (4 << 20,),
        "kernel.image.taken": ((128 << 20) - 4096 - 126000 * 1024,),
        "kernel.image.modules": (98304,),
        "kernel.image.file": (935000,),
    }
    # What another user than root sees.
    hidden = re.sub(r"[0-9a-f]{8}-[0-9a-f]{8}", "00000000-00000000", SIZES)
    with pytest.raises(NotMeasurable, match="only root sees"):
        workload.read(hidden, {}, 1)


def test_streams_of_one_way_are_one_run_and_the_slowest_tells_the_rate() -> None:
    workload = all_workloads()["media.both"]
    parameters = defaults(workload) | {"records": 2, "seconds": 1, "write": "direct"}
    # A frame of whole blocks.
    assert "media 2 1 $place 28672 30 30 direct 0" in workload.plan(parameters, 1).script
    fast, slow = "1000 1000\n" * 30, "2000 2000\n" * 29 + "90000 90000\n"
    streams = f"@media record\n{fast}@media record\n{slow}@media play\n{fast}"
    cache = "@writeback 5 6 7\n"
    found = {
        (metric.name.rpartition(".")[2], metric.labels.get("stream")): metric.samples
        for metric in workload.read(f"@rate 0\n{streams}@rate 30\n{streams}{cache}", parameters, 1)
    }
    assert found["rate", "record"] == pytest.approx((30 / 0.148,))
    assert found["late", "record"] == (1 / 60,) and found["late", "play"] == (0,)
    assert len(found["frame", "record"]) == 60 and found["written", None] == (7,)


def test_an_xfs_is_made_on_a_virtual_boards_disk_and_asked_of_any_other_target() -> None:
    workload = all_workloads()["media.record"]
    work = workload.plan(defaults(workload) | {"filesystem": "xfs"}, 1)
    assert (work.packages, work.features) == (("xfsprogs",), ("xfs",))
    assert "mkfs.xfs -q -f -b size=4096 /dev/pbd" in work.script
    place = work.script.partition('echo "@rate')[0]
    done = subprocess.run(["sh", "-c", f"stat() {{ echo tmpfs; }}; {place}"], capture_output=True)
    assert done.returncode == 1 and b"set TMPDIR to one that is" in done.stderr
    done = subprocess.run(["sh", "-c", f"stat() {{ echo xfs; }}; {place}"], capture_output=True)
    assert done.returncode == 0


def test_the_words_of_a_script_are_read_by_their_heads() -> None:
    output = f"noise\n@time a b\n{TIME}@say grep BusyBox v1.35\n{TIME}@time c\n{TIME}garbage\n"
    assert printed(output, "grep") == "BusyBox v1.35" and printed(output, "nothing") == ""
    found = times_of(output)
    assert [run.real_s for run in found["c"]] == [2.0]
