# SPDX-License-Identifier: Apache-2.0
"""Damaged files of every format that `perfboard import` reads: read, or refused in words."""

import gzip
import io
import json
import random
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from perfboard.importers.base import ImportOptions, SavedFile
from perfboard.importers.choose import importers
from perfboard.model.errors import UsageError
from tests.support.boots import hold
from tests.support.captures import saleae_binary, saleae_table, sigrok, vcd
from tests.support.recorded import DATA

TOOLS = ("jls", "trace-dat")
"""Formats that a tool reads, in a process for each file."""
_EDGES = {"D0": [1000, 5000, 9000], "D1": [5000], "usable": [123_000]}
_CHANNELS = {"D0": ("kernel.entry", ""), "usable": ("usable",)}
# A channel is named by the file, and a pin by its number.
_OTHERS = {"saleae-binary": {"damaged": ("usable",)}, "ftrace": {"gpio17": ("led.on",)}}
_METER = b"Timestamp(ms),Current(uA),D0-D7\n" + b"".join(b"%d,%d,0\n" % (i, i) for i in range(30))
_NUMBERS = (
    *(b"0", b"-1", b"99999999999999999999", b"18446744073709551615", b"1e999", b"NaN", b"0x7f"),
    *(b"4294967296", b"0.0000001", b"9" * 400, b"00:00:61", b"1,000,000,000,000"),
)
_PIECES = (
    *(b"\r", b"\n", b"\0", b"\x1b[", b"\xff\xfe", b"{", b"}", b'"', b"[", b"]", b"\b" * 9, b"  "),
    *(
        b"null",
        b"[]",
        b"{}",
        b"<svg ",
        b"&#0;",
        b"\xe2\x90\x8d",
        b"../../x",
        b"=>",
        b"$end",
        b"@1s",
    ),
    *(b"[    0.000000] ", b"U-Boot SPL 2024.01", b"Restarting system\r\n", b"login: ", b"\t", b";"),
)


class Sample(NamedTuple):
    """A whole file, and how its content is packed."""

    data: bytes
    pack: Callable[[bytes], bytes] = bytes


def samples() -> dict[str, list[Sample]]:
    """Whole files of each format, the shorter ones of what there is."""
    found: dict[str, list[Sample]] = {name: [] for name in importers()}
    folder = DATA / "import"
    for path in sorted(folder.glob("*.log")):
        form = path.name.rpartition("-")[0]
        name = max((n for n in found if form.startswith(n)), key=len, default="kernel")
        found[name].append(Sample(_short(path.read_bytes())))
    for path in (*folder.glob("reports/*"), *folder.glob("benchmarks/*"), *folder.glob("traces/*")):
        name = _NAMES.get(path.name, path.stem)
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        if path.suffix == ".json" and name != "journal":
            data = json.dumps(json.loads(data)).encode()
        found[name].append(Sample(data if name in TOOLS else _short(data)))
    for case, name in _CASES.items():
        (path,) = (folder / "cases" / case).glob("input.*")
        found[name].append(Sample(path.read_bytes()))
    session = sigrok(_EDGES, 1000, 200, 70)
    found["vcd"].append(Sample(vcd(_EDGES)))
    found["sigrok"] += [Sample(session), *_metadata(session)]
    found["saleae-csv"].append(Sample(saleae_table(_EDGES)))
    found["saleae-binary"] += [Sample(saleae_binary(_EDGES["D0"], number)) for number in (0, 1)]
    found["power"] += [
        Sample(_METER),
        Sample(b"Zeit [s];Spannung [V];Strom [mA]\n0,0;5,0;0\n0,1;5,0;200\n0,2;5,0;300\n"),
    ]
    found["bootstage-tree"].append(Sample(_device_tree()))
    found["bootchart"].append(Sample(_archive()))
    if find_spec("pyjls"):
        found["jls"].append(Sample(_joulescope()))
    return found


_CASES = {
    "named-iperf3": "iperf3",
    "iperf3-udp": "iperf3",
    "unixbench-copies": "unixbench",
    "lmbench-prompt": "lmbench",
    "bonnie-comment": "bonnie",
    "perf-stat-several": "perf-stat",
    "slimboot-table": "slimboot",
    "sbcbench-two-clusters": "sbc-bench",
    "json-behind-text": "fio",
    "analyze-chain-and-blame": "systemd-analyze",
    "plot-bar-against-label": "systemd-plot",
    "journal-precise": "journal-text",
    "journal-own-times": "journal-text",
    "journal-short-initcalls": "journal-text",
    "syslog-with-kernel-times": "journal-text",
}
_NAMES = {
    "plot.svg": "systemd-plot",
    "ftrace.txt": "ftrace",
    "trace.dat.gz": "trace-dat",
    "pytest-benchmark-means.json": "pytest-benchmark",
}


def _device_tree() -> bytes:
    """A flattened tree with U-Boot's stages."""
    names = b"name\0mark\0"

    def node(name: bytes, *content: bytes) -> bytes:
        return struct.pack(">I", 1) + _padded(name + b"\0") + b"".join(content) + b"\0\0\0\2"

    def value(at: int, data: bytes) -> bytes:
        return struct.pack(">III", 3, len(data), at) + _padded(data)

    stages = {b"reset": 0, b"SPL": 224_787, b"main_loop": 1_480_113}
    tree = node(
        b"",
        node(
            b"bootstage",
            *(
                node(b"%d" % number, value(0, name + b"\0"), value(5, struct.pack(">I", at_us)))
                for number, (name, at_us) in enumerate(stages.items())
            ),
        ),
    )
    blocks = tree + struct.pack(">I", 9)
    size = 40 + len(blocks) + len(names)
    head = (0xD00DFEED, size, 40, 40 + len(blocks), 28, 17, 16, 0, len(names), len(blocks))
    return struct.pack(">10I", *head) + blocks + names


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _archive() -> bytes:
    """What bootchart's collector stores, without a compression, whose checks find damage."""
    rest = " ".join(["0"] * 30)
    logs = {
        "proc_stat.log": "100\ncpu  10 0 20 70 0\n\n300\ncpu  110 0 60 130 20\n\n",
        "proc_ps.log": f"100\n1 (init) S 0 1 1 0 -1 4 1 1 0 0 5 7 0 0 20 0 1 0 1 {rest}\n\n",
        "proc_diskstats.log": "100\n 179 0 mmcblk0 10 0 2000 5 1 0 8 1 0 5 6\n\n",
    }
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as made:
        for name, text in logs.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            made.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def _joulescope() -> bytes:
    import pyjls  # optional

    with tempfile.NamedTemporaryFile(suffix=".jls") as file:
        with pyjls.Writer(file.name) as writer:
            writer.source_def(
                source_id=1, name="JS220", vendor="Jetperch", model="JS220",
                version="1", serial_number="1",
            )  # fmt: skip
            for number, (name, unit) in enumerate((("current", "A"), ("voltage", "V")), 1):
                writer.signal_def(
                    signal_id=number, source_id=1, signal_type=pyjls.SignalType.FSR,
                    data_type=pyjls.DataType.F32, sample_rate=1000, name=name, units=unit,
                )  # fmt: skip
                writer.fsr_f32(number, 0, np.linspace(0, number, 2000, dtype=np.float32))
        return Path(file.name).read_bytes()


def _short(data: bytes) -> bytes:
    """The beginning and the end of a long text, by whole lines."""
    lines = data.splitlines(keepends=True)
    return data if len(lines) < 80 else b"".join((*lines[:40], *lines[-20:]))


def _metadata(session: bytes) -> Iterator[Sample]:
    """A session whose metadata alone is damaged: the archive's checks find other damage."""
    with zipfile.ZipFile(io.BytesIO(session)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}

    def pack(metadata: bytes) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as made:
            for name, data in members.items():
                made.writestr(name, metadata if name == "metadata" else data)
        return out.getvalue()

    yield Sample(members["metadata"], pack)


def damaged(chance: random.Random, sample: Sample) -> bytes:
    """The file with a few damages: of bytes, of numbers, of lines."""
    data = bytearray(sample.data)
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(7):
            case 0:
                del data[at : at + chance.choice([1, 4, 40, 400])]
            case 1:
                data[at : at + chance.choice([0, 1, 8])] = chance.choice(_PIECES)
            case 2 if data:
                data[min(at, len(data) - 1)] = chance.randrange(256)
            case 3:
                data = data[:at] if chance.random() < 0.3 else data
            case 4:
                end = at
                while end < len(data) and data[end : end + 1].isdigit():
                    end += 1
                data[at:end] = chance.choice(_NUMBERS)
            case 5:
                lines = bytes(data).splitlines(keepends=True)
                chance.shuffle(lines)
                data = bytearray(b"".join(lines[: chance.choice([len(lines), 40, 3])]))
            case _:
                piece = data[at : at + chance.choice([3, 30, 300])]
                data[at:at] = piece * chance.choice([1, 2, 20])
    return sample.pack(bytes(data))


def try_reader(name: str, data: bytes, path: Path) -> str:
    """Whether the file was read or refused. Raises AssertionError for a result that is wrong."""
    path.write_bytes(data)
    try:
        options = ImportOptions(channel=_OTHERS.get(name, _CHANNELS), volts=5.0)
        made = importers()[name].read(SavedFile(path), options)
    except UsageError as error:
        words = str(error)
        assert words and path.name in words, words
        return "refused"
    for boot in made.boots:
        hold(boot)
    for note in made.notes:
        assert note
    for metric in made.metrics:
        assert metric.samples
    if made.power is not None:
        assert made.power.seconds[0] >= 0
    return "read"
