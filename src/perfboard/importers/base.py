# SPDX-License-Identifier: Apache-2.0
"""An importer, and what it is given and gives."""

import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from perfboard.host.files import read_file
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


@dataclass(frozen=True)
class SavedFile:
    """A file of somebody's, which is read once, and only if an importer asks."""

    path: Path

    @cached_property
    def data(self) -> bytes:
        """All of it. Raises UsageError if it is longer than any log, or cannot be read."""
        try:
            return read_file(self.path, MOST_BYTES, "a saved log")
        except OSError as error:
            raise UsageError(f"{self.path}: {error.strerror}; wants a saved log") from error

    @cached_property
    def text(self) -> bytes:
        """All of a text."""
        return as_utf8(self.data)

    @property
    def head(self) -> bytes:
        """Its beginning, which shows its format."""
        return self.text[:_HEAD]


@dataclass(frozen=True)
class Imported:
    """The content of a file: boots of one board, or other results and their metrics.

    `notes` are sentences for the reader of the run; `facts` what the file says of the board.
    """

    boots: tuple[Boot, ...] = ()
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
    read: Callable[[SavedFile, ImportOptions], Imported]


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
