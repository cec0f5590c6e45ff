# SPDX-License-Identifier: Apache-2.0
"""Session files of sigrok: a ZIP archive with the samples of each channel as bits."""

import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from lzma import LZMAError
from typing import BinaryIO

import numpy as np

from perfboard.analysis.formats.capture import PORTION, Capture, rate_hz, unknown_channels

_MOST_METADATA = 1 << 16
_MOST_MEMBERS = 100_000
# As many bytes of samples are read, however small their archive is.
_MOST_BYTES = 64 << 30
_DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, LZMAError, NotImplementedError, RuntimeError, EOFError),
)
_PROBE = re.compile(r"probe([0-9]{1,3})")


def read_sigrok(stream: BinaryIO, wanted: Mapping[str, int]) -> Capture:
    """The first edges of each channel in `wanted`, as many as it says.

    Nothing is unpacked to the disk, and memory does not grow with the file. Raises ValueError for
    a file that is no such archive, or is damaged.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            return _read(archive, wanted)
    except (*_DAMAGES, OSError) as error:
        raise ValueError(f"its archive is damaged: {error}") from error


def _read(archive: zipfile.ZipFile, wanted: Mapping[str, int]) -> Capture:
    device = _device(archive)
    hz = rate_hz(device.get("samplerate", ""))
    if hz is None:
        raise ValueError("its metadata has no samplerate")
    unit = _number(device, "unitsize", 1, 64)
    channels = {
        name: int(match[1]) - 1
        for key, name in device.items()
        if (match := _PROBE.fullmatch(key)) and 0 < int(match[1]) <= unit * 8
    }
    if words := unknown_channels(wanted, channels):
        raise ValueError(words)
    capture = Capture(tuple(channels), 1e9 / hz, {name: [] for name in wanted})
    if max(channels.values(), default=0) >= len(channels):
        capture.notes = (
            "Channels were left out of the capture. Each is read by its own bit, as most of "
            "sigrok's drivers store it; some close the gaps: capture all channels up to the last.",
        )
    pending = {name: channels[name] for name in wanted}
    last: np.ndarray | None = None
    at = 0
    for samples in _samples(archive, device.get("capturefile", "logic-1"), unit):
        for name, bit in [*pending.items()]:
            levels = samples[:, bit // 8] & (1 << bit % 8)
            found = np.flatnonzero(levels[1:] != levels[:-1]) + 1
            edges = capture.edges[name]
            if last is not None and (last[bit // 8] & (1 << bit % 8)) != levels[0]:
                edges.append(round(at * 1e9 / hz))
            room = wanted[name] - len(edges)
            edges += [round((at + int(place)) * 1e9 / hz) for place in found[: max(room, 0)]]
            if len(edges) >= wanted[name]:
                del pending[name]
        at += len(samples)
        last = samples[-1]
        if not pending:
            return capture
    capture.end_ns = round(at * 1e9 / hz)
    return capture


def _device(archive: zipfile.ZipFile) -> dict[str, str]:
    """The metadata of the first device that has samples of logic."""
    names = set(archive.namelist())
    if "metadata" not in names:
        raise ValueError("its archive has no member metadata, as sigrok's sessions do")
    if len(names) > _MOST_MEMBERS or archive.getinfo("metadata").file_size > _MOST_METADATA:
        raise ValueError("its archive has more members or metadata than a session")
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(archive.read("metadata").decode("utf-8", "replace"))
    except ConfigError as error:
        raise ValueError(f"its metadata is no list of keys: {error.message}") from error
    for section in parser.sections():
        if section.startswith("device") and parser.has_option(section, "unitsize"):
            return dict(parser.items(section))
    raise ValueError("its metadata names no device with samples of logic")


def _number(device: Mapping[str, str], key: str, least: int, most: int) -> int:
    text = device.get(key, "")
    if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise ValueError(f'its {key} is "{text[:40]}", no number from {least} to {most}')
    return int(text)


def _samples(archive: zipfile.ZipFile, name: str, unit: int) -> Iterator[np.ndarray]:
    """The samples in portions, each a row of `unit` bytes."""
    members = [name] if name in archive.namelist() else _numbered(archive, name)
    if not members:
        raise ValueError(f"its archive lacks the samples, {name[:40]}")
    if sum(archive.getinfo(member).file_size for member in members) > _MOST_BYTES:
        raise ValueError(f"it has more than {_MOST_BYTES >> 30} GiB of samples")
    size = PORTION // unit * unit
    rest = b""
    for member in members:
        with archive.open(member) as file:
            while data := file.read(size):
                data = rest + data
                whole = len(data) // unit * unit
                rest = data[whole:]
                if whole:
                    yield np.frombuffer(data[:whole], np.uint8).reshape(-1, unit)


def _numbered(archive: zipfile.ZipFile, name: str) -> list[str]:
    """The members NAME-1, NAME-2, and so on, in their order."""
    found: dict[int, str] = {}
    for member in archive.namelist():
        number = member.removeprefix(f"{name}-")
        if member != number and re.fullmatch("[0-9]{1,9}", number):
            found[int(number)] = member
    return [found[number] for number in sorted(found)]
