# SPDX-License-Identifier: Apache-2.0
"""A benchmark's results in JSON, read by a model of what is wanted of them."""

from collections.abc import Callable, Iterable
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from perfboard.importers.base import SavedFile
from perfboard.model.errors import UsageError
from perfboard.model.run import Metric
from perfboard.model.text import printable

Amount = Annotated[float, Field(ge=0, le=1e100, allow_inf_nan=False)]
ModelType = TypeVar("ModelType", bound="Foreign")
# A name or a command may be as long as its author likes.
_LONGEST_LABEL = 200


class Foreign(BaseModel):
    """A table of somebody else's file: what is not wanted of it is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def read_json(file: SavedFile, kind: type[ModelType], program: str) -> ModelType:
    """The wanted part of a JSON file. Raises UsageError with the place that is wrong."""
    try:
        return kind.model_validate_json(file.text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UsageError(
            f"{file.path}: is no result of {program}: {printable(place)}: {first['msg']}"
        ) from None


def label(text: str) -> str:
    """A foreign text as a label."""
    return printable(text)[:_LONGEST_LABEL]


def has_all(*words: bytes) -> Callable[[bytes], float]:
    """The share of a JSON file's beginning that has the form: all, if all these words are in it."""

    def share(head: bytes) -> float:
        return float(head.lstrip()[:1] == b"{" and all(word in head for word in words))

    return share


def some(metrics: Iterable[Metric], file: SavedFile, what: str) -> tuple[Metric, ...]:
    """The metrics that have samples. Raises UsageError if none has."""
    found = tuple(metric for metric in metrics if metric.samples)
    if not found:
        raise UsageError(f"{file.path}: has no {what}")
    return found
