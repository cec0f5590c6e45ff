# SPDX-License-Identifier: Apache-2.0
"""An importer, and what it is given and gives."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from io import BufferedReader, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from perfboard.host.files.files import open_file
from perfboard.importers.text import plain_text
from perfboard.model.channels import parse_channels, parse_volts
from perfboard.model.errors import UsageError
from perfboard.model.options import option, parse_console_line
from perfboard.model.results.base import Result
from perfboard.model.results.boot import Boot
from perfboard.model.run import Evidence, Metric, RunError
from perfboard.model.units import format_size

if TYPE_CHECKING:
    from perfboard.analysis.formats.power_table import PowerTrace

# As much as a console's recording may have.
MOST_BYTES = 64 << 20
LONGEST_NS = 10**18
"""No boot, and no part of one, lasts for thirty years."""
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

    as_: str = option(
        "",
        "the format to read the files as (default: found by their content)",
        metavar="F",
        formerly="format",
    )
    usable: str = option(
        "",
        "the console line that means ready (default: a login prompt, or a service manager's word)",
        parse=parse_console_line,
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


@contextmanager
def read_errors(path: Path) -> Iterator[None]:
    """Turns an error of the system's into a UsageError that names the file."""
    try:
        yield
    except OSError as error:
        if error.strerror is None:
            raise
        raise UsageError(f"{path}: {error.strerror}; give a saved log") from error


@dataclass(frozen=True)
class SavedFile:
    """A file of somebody's, which is read once, and only if an importer asks."""

    path: Path
    # A regular file with what came, and one with that unpacked, where the path itself is not.
    given: Path | None = None
    unpacked: Path | None = None
    # Told how many bytes were read, again and again.
    watch: Callable[[int], None] = lambda done: None

    @property
    def kept(self) -> Path:
        """The file as it came, to be kept."""
        return self.given or self.path

    @property
    def content(self) -> Path:
        """The file to read."""
        return self.unpacked or self.kept

    @property
    def stem(self) -> str:
        """Its name without its suffix, and without that of a compression."""
        return Path(self.path.stem).stem if self.unpacked else self.path.stem

    @cached_property
    def data(self) -> bytes:
        """All of it. Raises UsageError if it is longer than any log, or cannot be read."""
        with self.open() as file:
            found = file.read(MOST_BYTES)
            if file.read(1):
                raise UsageError(
                    f"{self.path}: has more than {format_size(MOST_BYTES)}, as no saved log has; "
                    "cut the boot out of it"
                )
        return found

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Its bytes one by one, of a file of any size. Raises UsageError if it cannot be read."""
        with read_errors(self.path), open_file(self.content, "a saved log") as file:
            yield _BoundedReader(file, self)

    @cached_property
    def text(self) -> bytes:
        """All of a text."""
        return plain_text(self.data)

    @cached_property
    def head(self) -> bytes:
        """Its beginning, which shows its format."""
        with self.open() as file:
            return plain_text(file.read(_HEAD))


class _BoundedReader(BufferedReader):
    """Tells how far it is. No length in a file's own header makes it take more memory than a log.

    Raises UsageError for such a length.
    """

    def __init__(self, raw: FileIO, of: SavedFile) -> None:
        super().__init__(raw)
        self._of = of

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MOST_BYTES:
            raise UsageError(
                f"{self._of.path}: one of its headers names a part of {format_size(size)}, which "
                "no capture or archive of a boot has; it is damaged"
            )
        data = super().read(size)
        self._of.watch(self.tell())
        return data


@dataclass(frozen=True)
class FileContent:
    """The content of a file: boots of one board, or other results and their metrics.

    `notes` are sentences for the reader of the run; `facts` what the file says of the board. If the
    file `joins`, its one boot is what one instrument saw of a boot that the other files are of too.
    `power` are a meter's samples, on the clock of that boot. `alone` says why the file by itself
    makes no run, though it may join others; "" if it does.
    """

    boots: tuple[Boot, ...] = ()
    joins: bool = False
    power: "PowerTrace | None" = None
    results: tuple[Result, ...] = ()
    metrics: tuple[Metric, ...] = ()
    notes: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    alone: str = ""
    # Boots that failed.
    errors: tuple[RunError, ...] = ()


@dataclass(frozen=True)
class Importer:
    """A foreign format.

    `title` is the form that it looks for. `share` says which share of a file's beginning, from 0 to
    1, has that form: it is the file's if it is the largest of all importers', and 0.5 or more.
    `read` raises UsageError for a file that it cannot use. The lines of a `narrow` form have
    another importer's form as well; of two with the same share it is the file's.
    """

    name: str
    title: str
    share: Callable[[bytes], float]
    read: Callable[[SavedFile, ImportOptions], FileContent]
    narrow: bool = False
