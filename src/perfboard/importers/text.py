# SPDX-License-Identifier: Apache-2.0
"""The text of a file as its program wrote it, whatever it went through since."""

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
# As long as an indent of a page's or a mail's is.
_DEEPEST = 16
_QUOTE = re.compile(rb"(?:> ?)+")
_INDENT = re.compile(rb"[ \t]*")


def plain_text(data: bytes) -> bytes:
    """A text in UTF-8, without the quote or the indent that all its lines have; others as it is.

    UTF-16 without its mark is known by the zeros in each other place of a text in ASCII.
    """
    return _without_margin(_as_utf8(data))


def _as_utf8(data: bytes) -> bytes:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _recoded(data[len(mark) :], encoding)
    sample = data[:_SAMPLE]
    sample = sample[: len(sample) // 2 * 2]
    if len(sample) > 3:
        for at, encoding in ((0, "utf-16-le"), (1, "utf-16-be")):
            characters, zeros = sample[at::2], sample[1 - at :: 2]
            if not any(zeros) and all(9 <= each < 127 for each in characters):
                return _recoded(data, encoding)
    return data


def _recoded(data: bytes, encoding: str) -> bytes:
    return data.decode(encoding, "replace").encode("utf-8", "replace")


def _without_margin(data: bytes) -> bytes:
    if data[:1] not in (b">", b" ", b"\t", b"\n", b"\r") or b"\0" in data[:_SAMPLE]:
        return data
    lines = data.splitlines(keepends=True)
    own = [line for line in lines if line.strip()]
    if own and all(line[:1] == b">" for line in own):
        lines = [line[match.end() :] if (match := _QUOTE.match(line)) else line for line in lines]
        own = [line for line in lines if line.strip()]
    if not own:
        return data
    margins = ((_INDENT.match(line, 0, _DEEPEST) or [b""])[0] for line in own)
    margin = min(margins, key=len)
    if not all(line.startswith(margin) for line in own):
        return b"".join(lines)
    return b"".join(line.removeprefix(margin) for line in lines)
