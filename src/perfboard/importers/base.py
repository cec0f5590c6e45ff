# SPDX-License-Identifier: Apache-2.0
"""An importer, and what it is given and gives."""

import codecs
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from io import BufferedReader, FileIO
from pathlib import Path
from typing import BinaryIO

from perfboard.analysis.formats.power_table import PowerTrace
from perfboard.host.files import open_file, read_file
from perfboard.model.channels import parse_channels, parse_volts
from perfboard.model.errors import UsageError
from perfboard.model.options import option, parse_regex
from perfboard.model.results.base import Result
from perfboard.model.results.boot import Boot
from perfboard.model.run import Evidence, Metric

# As much as a console's recording may have.
MOST_BYTES = 64 << 20
_HEAD = 1 << 20


def _parse_evidence(text: str) -> str:
    if text not in (Evidence.SILICON, Evidence.HOST):
        raise ValueError(f'"{text}" is neither silicon (a real board) nor host (this machine)')
    return text


def _parse_name(text: str) -> str:
    if not 0 < len(text) <= 40 or not text.replace("-", "").replace(".", "").isalnum():
        raise ValueError(f'"{text}" is no name: up to 40 letters, digits, dots and dashes')
    return text


@dataclass(frozen=True)
class ImportOptions:
    """The options of `perfboard import`."""

    format: str = option("", "the files' format (default: found by their content)", metavar="F")
    usable: str = option(
        "",
        "the console line that means ready (default: a login prompt, or a service manager's word)",
        parse=parse_regex,
        metavar="REGEX",
    )
    name: str = option("", "the board's name (default: the file's)", parse=_parse_name, metavar="B")
    evidence: str = option(
        "unknown",
        "what the files were recorded on: silicon (a real board) or host (this machine); without "
        "it the run is compared with nothing",
        parse=_parse_evidence,
        metavar="E",
    )
    channel: Mapping[str, tuple[str, ...]] = option(
        {},
        "the mark that the first edge of a capture's channel is, as in D0=kernel.entry; D0=a/b "
        "names the first two edges, and FILE:D0=a a channel of one file (default: channels that "
        "bear a mark's name)",
        parse=parse_channels,
        metavar="D=M",
        repeated=True,
    )
    volts: float = option(
        0.0,
        "the supply's voltage, for a power meter's file of currents alone",
        parse=parse_volts,
        metavar="V",
    )
    into: str = option(
        "", "the run of the same boot, whose marks and files the new run has too", metavar="RUN"
    )


@dataclass(frozen=True)
class SavedFile:
    """A file of somebody's, which is read once, and only if an importer asks."""

    path: Path
    # Told how many bytes were read, again and again.
    watch: Callable[[int], None] = lambda done: None

    @cached_property
    def data(self) -> bytes:
        """All of it. Raises UsageError if it is longer than any log, or cannot be read."""
        with self._errors():
            return read_file(self.path, MOST_BYTES, "a saved log")

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Its bytes one by one, of a file of any size. Raises UsageError if it cannot be read."""
        with self._errors(), open_file(self.path, "a saved log") as file:
            yield _CountingReader(file, self.watch)

    @cached_property
    def text(self) -> bytes:
        """All of a text."""
        return as_utf8(self.data)

    @cached_property
    def head(self) -> bytes:
        """Its beginning, which shows its format."""
        with self.open() as file:
            return as_utf8(file.read(_HEAD))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UsageError(f"{self.path}: {error.strerror}; give a saved log") from error


class _CountingReader(BufferedReader):
    def __init__(self, raw: FileIO, watch: Callable[[int], None]) -> None:
        super().__init__(raw)
        self._watch = watch

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self._watch(self.tell())
        return data


@dataclass(frozen=True)
class FileContent:
    """The content of a file: boots of one board, or other results and their metrics.

    `notes` are sentences for the reader of the run; `facts` what the file says of the board. If the
    file `joins`, its one boot is what one instrument saw of a boot that the other files are of too.
    `power` are a meter's samples, on the clock of that boot.
    """

    boots: tuple[Boot, ...] = ()
    joins: bool = False
    power: PowerTrace | None = None
    results: tuple[Result, ...] = ()
    metrics: tuple[Metric, ...] = ()
    notes: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Importer:
    """A foreign format.

    `title` is the form that it looks for. `share` says which share of a file's beginning, from 0 to
    1, has that form: it is the file's if it is the largest of all importers', and 0.5 or more.
    `read` raises UsageError for a file that it cannot use.
    """

    name: str
    title: str
    share: Callable[[bytes], float]
    read: Callable[[SavedFile, ImportOptions], FileContent]


def as_utf8(data: bytes) -> bytes:
    """A text of a Windows program's as other programs write it; other bytes as they are."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "replace")
            return text.encode("utf-8", "replace")
    return data
