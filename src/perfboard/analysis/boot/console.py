# SPDX-License-Identifier: Apache-2.0
"""Console bytes and their stamps made into lines, and lines into marks."""

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from perfboard.model.results.boot import Mark

# A line ends at a line feed, with the carriage returns before it, or at carriage returns alone.
_LINE = re.compile(r"([^\r\n]*+)(?:\r*+\n|\r++|\Z)")
# A final "[" is left out: a cut-off sequence must not take the "[" of a kernel record behind it.
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-Z\\-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])"
)
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_LONGEST_MATCHED = 4096


@dataclass(frozen=True)
class Stamps:
    """One stamp a console byte, in the order of the bytes.

    `ns` (type code "q") counts nanoseconds since reset; `instructions`, of the
    same length, those executed since reset, or is None where nobody counted.
    """

    ns: "array[int]"  # array cannot be subscripted when run on Python 3.11
    instructions: "array[int] | None" = None

    def __post_init__(self) -> None:
        """Raises ValueError where the two arrays differ in length."""
        if self.instructions is not None and len(self.instructions) != len(self.ns):
            raise ValueError(f"{len(self.ns)} times but {len(self.instructions)} counts")

    def __len__(self) -> int:
        """How many bytes have a stamp."""
        return len(self.ns)


class ConsoleLine(NamedTuple):
    """One line of the console.

    `text` has no line end, escape sequence or control character other than
    tab; what is not UTF-8 is replaced. `start_ns` is the stamp of the line's
    first byte, `text_end_ns` of the last before the line end, and `end_ns` of
    the last with it. `instructions` and `end_instructions` go with `start_ns`
    and `end_ns`. A blank line's first byte is its line end's.
    """

    text: str
    start_ns: int
    text_end_ns: int
    end_ns: int
    instructions: int | None = None
    end_instructions: int | None = None


def split_lines(data: bytes, stamps: Stamps) -> list[ConsoleLine]:
    """The stamped lines of a console log, blank ones too.

    Lines end in any mix of CR and LF. Bytes beyond the last stamp are left out,
    as though the recording had ended there, because a time made up for them would
    be wrong; stamps beyond the last byte are not used.
    """
    ns, counts = stamps.ns, stamps.instructions
    lines = []
    # Latin-1 has one character a byte; only lines beyond ASCII need a second look.
    for match in _LINE.finditer(data.decode("latin-1"), 0, len(stamps)):
        start, text_end = match.span(1)
        last = match.end() - 1
        if last < start:
            break
        text = match[1]
        if not text.isascii():
            text = text.encode("latin-1").decode("utf-8", "replace")
        if not text.isprintable():
            text = _CONTROL.sub("", _ESCAPE.sub("", text))
        lines.append(
            ConsoleLine(
                text,
                ns[start],
                ns[max(start, text_end - 1)],
                ns[last],
                None if counts is None else counts[start],
                None if counts is None else counts[last],
            )
        )
    return lines


def matches(pattern: re.Pattern[str], text: str) -> bool:
    """Whether `pattern` is found in a line, of which it sees the first 4096 characters."""
    return pattern.search(text[:_LONGEST_MATCHED]) is not None


def find_line(lines: Sequence[ConsoleLine], pattern: str, name: str) -> Mark | None:
    """A mark `name` at the first byte of the first line in which `pattern` is found.

    The precision is the time since the byte before it: where programs wait for their output, what
    the line tells of happened between the two. Buffered output may tell of something earlier still.
    A match sees at most the line's first 4096 characters, but a pattern that backtracks
    exponentially stays slow: it must come from whoever may also choose what is run. Raises re.error
    where `pattern` is not a regular expression.
    """
    compiled = re.compile(pattern)
    return next(
        (
            _first_byte_mark(lines, index, name)
            for index, line in enumerate(lines)
            if matches(compiled, line.text)
        ),
        None,
    )


def console_marks(lines: Sequence[ConsoleLine]) -> list[Mark]:
    """The marks that U-Boot's output shows, in order of time.

    - `bootloader.main`: the first byte of its countdown, the first thing that its
      main loop prints. Precision: the time since the byte before.
    - `boot.command`: the line feed that ends the countdown; the boot command runs
      next. Precision: the time since the countdown's last character.
    - `kernel.entry`: the end of "Starting kernel ..." and the blank lines that go with
      it; the jump comes after. Precision: the time to the next text, before
      which it must have happened. Absent where there is none.
    """
    marks = []
    for index, line in enumerate(lines):
        if line.text.startswith("Hit any key to stop autoboot"):
            marks.append(_first_byte_mark(lines, index, "bootloader.main"))
            # The last line may have no end yet.
            if index + 1 < len(lines):
                marks.append(_end_mark(line, "boot.command", line.end_ns - line.text_end_ns))
            break
    for index, line in enumerate(lines):
        if line.text.startswith("Starting kernel ..."):
            following = index + 1
            while following < len(lines) and not lines[following].text.strip():
                following += 1
            if following < len(lines):
                last = lines[following - 1]
                gap = lines[following].start_ns - last.end_ns
                marks.append(_end_mark(last, "kernel.entry", gap))
            break
    return sorted(marks, key=lambda mark: mark.t_ns)


def _first_byte_mark(lines: Sequence[ConsoleLine], index: int, name: str) -> Mark:
    line = lines[index]
    return Mark(
        name=name,
        t_ns=line.start_ns,
        source="console",
        precision_ns=line.start_ns - (lines[index - 1].end_ns if index else 0),
        instructions=line.instructions,
    )


def _end_mark(line: ConsoleLine, name: str, precision_ns: int) -> Mark:
    return Mark(
        name=name,
        t_ns=line.end_ns,
        source="console",
        precision_ns=precision_ns,
        instructions=line.end_instructions,
    )
