# SPDX-License-Identifier: Apache-2.0
"""A benchmark's results in JSON, read by a model of what is wanted of them."""

import re
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from perfboard.importers.base import FileContent, SavedFile
from perfboard.model.errors import UsageError
from perfboard.model.run import Metric
from perfboard.model.text import printable

Amount = Annotated[float, Field(ge=0, le=1e100, allow_inf_nan=False)]
ModelType = TypeVar("ModelType", bound="Foreign")
# A name or a command may be as long as its author likes.
_LONGEST_LABEL = 200
# As many as a report shows in seconds.
MOST_METRICS = 50_000
_OBJECT = re.compile(rb"^[ \t]*\{", re.MULTILINE)
_BEGINNING = 1 << 16


class Foreign(BaseModel):
    """A table of somebody else's file: what is not wanted of it is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def read_json(file: SavedFile, kind: type[ModelType], program: str) -> ModelType:
    """The wanted part of a JSON file. Raises UsageError with the place that is wrong."""
    _, text = _split(file.text)
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UsageError(
            f"{file.path}: is no result of {program}: {printable(place)}: {first['msg']}"
        ) from None


def _split(text: bytes) -> tuple[bytes, bytes]:
    """The words before a JSON object that begins a line, and the object up to its last brace."""
    start = _OBJECT.search(text)
    if start is None:
        return b"", text
    return text[: start.start()], text[start.start() : text.rfind(b"}") + 1]


def label(text: str) -> str:
    """A foreign text as a label."""
    return printable(text)[:_LONGEST_LABEL]


def has_all(*words: bytes) -> Callable[[bytes], float]:
    """The share of a JSON file's beginning that has the form: all, if all these words are in it."""

    def share(head: bytes) -> float:
        return float(_OBJECT.search(head) is not None and all(word in head for word in words))

    return share


def content_of(
    metrics: Iterable[Metric], file: SavedFile, what: str, notes: Iterable[str] = ()
) -> FileContent:
    """The metrics that have samples, and what a program said before its JSON.

    Raises UsageError if no metric has any, or for more metrics than a report shows.
    """
    known = (metric for metric in metrics if metric.samples)
    found = tuple(islice(known, MOST_METRICS + 1))
    if not found:
        raise UsageError(f"{file.path}: has no {what}")
    if len(found) > MOST_METRICS:
        raise UsageError(
            f"{file.path}: has more than {MOST_METRICS:,} figures; store those that you need"
        )
    return FileContent(metrics=found, notes=(*_words_before(file), *notes))


def _words_before(file: SavedFile) -> tuple[str, ...]:
    before, _ = _split(file.text[:_BEGINNING])
    lines = [printable(line.decode("utf-8", "replace")).strip() for line in before.splitlines()]
    return tuple(f'Before its results it says "{line[:_LONGEST_LABEL]}".' for line in lines if line)
