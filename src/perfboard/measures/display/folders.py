# SPDX-License-Identifier: Apache-2.0
"""The generated folders that mail clients open: the same bytes everywhere."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from perfboard.measures.display.pages import pseudorandom, words

# The set-top box study's folders: their messages, and their bytes (its kB have 1024 of them).
FOLDERS = {"small": (924, 3590 << 10), "large": (9827, 37_962 << 10)}
_PEOPLE = 40
_BEGAN = datetime(2002, 1, 1, tzinfo=UTC)
_LINES = 1500


def _body_text() -> str:
    """As much text as no message is long; a message has a piece of it."""
    source = pseudorandom(2001)
    return "".join(f"{words(source, 9).capitalize()}.\n" for _ in range(_LINES))


def messages(size: str) -> Iterator[bytes]:
    """The messages of a folder, in the order of their dates: plain text, as RFC 5322 has it.

    Each third one answers an earlier one. No line begins with "From ", so that an mbox has them
    as they are.
    """
    count, total = FOLDERS[size]
    source, text = pseudorandom(count), _body_text()
    subjects: list[str] = []
    left = total
    for number in range(count):
        answers = next(source) % number if number and next(source) % 3 == 0 else None
        if answers is None:
            subjects.append(words(source, 3 + next(source) % 5).capitalize())
        else:
            subjects.append(f"Re: {subjects[answers].removeprefix('Re: ')}")
        person, when = next(source) % _PEOPLE, _BEGAN + timedelta(minutes=37 * number)
        head = (
            f"From: Person {person:02d} <person{person:02d}@list.example>\n"
            "To: developers@list.example\n"
            f"Subject: {subjects[number]}\n"
            f"Date: {format_datetime(when)}\n"
            f"Message-ID: <{number}@list.example>\n"
        )
        if answers is not None:
            head += f"In-Reply-To: <{answers}@list.example>\nReferences: <{answers}@list.example>\n"
        head += "MIME-Version: 1.0\nContent-Type: text/plain; charset=us-ascii\n\n"
        # From a third of the mean to five thirds; the last one has what is left.
        mean = left // (count - number)
        room = left if number == count - 1 else mean // 3 + next(source) % (mean * 4 // 3)
        begin = next(source) % 4096
        body = text[begin : begin + room - len(head) - 1] + "\n"
        left -= len(head) + len(body)
        yield (head + body).encode()


def folder(size: str, kind: str, path: str) -> Mapping[str, bytes]:
    """The files of a folder at `path`, as `kind` (mh, maildir, mbox) has them; all are read."""
    if kind == "mh":
        files = {f"{path}/{number}": data for number, data in enumerate(messages(size), 1)}
        return {**files, f"{path}/.mh_sequences": b""}
    if kind == "maildir":
        seconds = int(_BEGAN.timestamp())
        files = {
            f"{path}/cur/{seconds + number}.{number}.perfboard:2,S": data
            for number, data in enumerate(messages(size))
        }
        # The two folders next to it come with a file that clients pass over.
        return {**files, **{f"{path}/{beside}/.keep": b"" for beside in ("new", "tmp")}}
    parts = []
    for number, data in enumerate(messages(size)):
        when = _BEGAN + timedelta(minutes=37 * number)
        head, _, body = data.partition(b"\n\n")
        line = f"From person@list.example {when.ctime()}\n".encode()
        parts.append(line + head + b"\nStatus: RO\n\n" + body + b"\n")
    return {path: b"".join(parts)}
