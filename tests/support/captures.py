# SPDX-License-Identifier: Apache-2.0
"""Captures of logic analysers, written for tests in each format that Perfboard reads."""

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence

# The instants, in ns, at which each channel changes its level; all begin low.
Edges = Mapping[str, Sequence[int]]


def vcd(edges: Edges, unit: str = "1 ns", unit_ns: int = 1, comment: str = "") -> bytes:
    """A dump whose changes of one instant stand on one line."""
    codes = {name: chr(33 + number) for number, name in enumerate(edges)}
    lines = [f"$comment {comment} $end"] if comment else []
    lines += [f"$timescale {unit} $end", "$scope module test $end"]
    lines += [f"$var wire 1 {code} {name} $end" for name, code in codes.items()]
    lines += ["$upscope $end", "$enddefinitions $end"]
    lines.append("#0 " + " ".join(f"0{code}" for code in codes.values()))
    for ns, changes in _changes(edges):
        words = " ".join(f"{level}{codes[name]}" for name, level in changes)
        lines.append(f"#{ns // unit_ns} {words}")
    return "\n".join([*lines, ""]).encode()


def sigrok(edges: Edges, period_ns: int, samples: int, chunk: int = 1000) -> bytes:
    """A session of up to eight channels, its samples in members of `chunk`."""
    levels = bytearray(samples)
    for bit, places in enumerate(edges.values()):
        for place in places:
            for at in range(-(-place // period_ns), samples):
                levels[at] ^= 1 << bit
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("version", "2")
        probes = "".join(f"probe{bit}={name}\n" for bit, name in enumerate(edges, 1))
        archive.writestr(
            "metadata",
            "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\n"
            f"total probes=8\nsamplerate={10**9 // period_ns} Hz\n{probes}unitsize=1\n",
        )
        for number in range(0, samples, chunk):
            name = f"logic-1-{number // chunk + 1}"
            archive.writestr(name, bytes(levels[number : number + chunk]))
    return data.getvalue()


def saleae_table(edges: Edges) -> bytes:
    """The table that Logic 2 exports, by its published description."""
    rows = ["Time [s]," + ",".join(edges)]
    levels = dict.fromkeys(edges, 0)
    rows.append("0.000000000," + ",".join("0" for _ in edges))
    for ns, changes in _changes(edges):
        levels |= dict(changes)
        rows.append(f"{ns / 1e9:.9f}," + ",".join(map(str, levels.values())))
    return "\r\n".join([*rows, ""]).encode()


def saleae_binary(places: Sequence[int], version: int = 0) -> bytes:
    """The file of one channel that Logic 2 exports, by its published description."""
    times = [ns / 1e9 for ns in places]
    head = struct.pack("<8sii", b"<SALEAE>", version, 0)
    end_s = (times or [0])[-1] + 1
    if version == 0:
        chunk = struct.pack("<IddQ", 0, 0.0, end_s, len(times))
    else:
        chunk = struct.pack("<QIdddQ", 1, 0, 1e8, 0.0, end_s, len(times))
    return head + chunk + struct.pack(f"<{len(times)}d", *times)


def _changes(edges: Edges) -> list[tuple[int, list[tuple[str, int]]]]:
    found: dict[int, list[tuple[str, int]]] = {}
    for name, places in edges.items():
        for number, ns in enumerate(places):
            found.setdefault(ns, []).append((name, (number + 1) % 2))
    return sorted(found.items())
