# SPDX-License-Identifier: Apache-2.0
"""The base of a board file's tables."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from perfboard.model.units import parse_size


def _size(value: object) -> object:
    return parse_size(value) if isinstance(value, str) else value


# Bounds beyond any board, so that a hostile file cannot make us fill disk or memory.
Size = Annotated[int, BeforeValidator(_size), Field(strict=True, gt=0, le=1 << 40)]
Offset = Annotated[int, BeforeValidator(_size), Field(strict=True, ge=0, le=1 << 40)]
# Memory that the emulator holds, or that an image takes.
HeldSize = Annotated[Size, Field(le=4 << 30)]

# A package of Debian's.
Package = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+.-]+$")]
# An option of the kernel's configuration.
KernelOption = Annotated[str, Field(pattern=r"^CONFIG_[A-Za-z0-9_]+$")]


class Table(BaseModel):
    """Base of a board file's tables: frozen, no unknown keys, no coercion."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True
    )


def either(key: str, having: type[BaseModel], lacking: type[BaseModel]) -> BeforeValidator:
    """Reads a table of two kinds, as `having` if it has `key`. It has keys of one kind alone."""

    def needed(kind: type[BaseModel]) -> str:
        both = having.model_fields.keys() & lacking.model_fields.keys()
        fields = kind.model_fields.items()
        own = [f"`{name}`" for name, field in fields if field.is_required() and name not in both]
        return " and ".join(own)

    def read(table: object) -> BaseModel:
        keys = set(table) if isinstance(table, Mapping) else set()
        kind, other = (having, lacking) if key in keys else (lacking, having)
        if odd := sorted(keys & (other.model_fields.keys() - kind.model_fields.keys())):
            raise ValueError(f"has `{odd[0]}`, which does not go with {needed(kind)}")
        if keys.isdisjoint(kind.model_fields.keys() - other.model_fields.keys()):
            raise ValueError(f"give either {needed(having)}, or {needed(lacking)}")
        return kind.model_validate(table)

    return BeforeValidator(read)


Kind = TypeVar("Kind", bound=BaseModel)


def as_kind(kind: type[Kind], table: BaseModel, **over: BaseModel) -> Kind:
    """A checked table as one kind of it, with the keys that this kind has; `over` go over them."""
    values = {name: getattr(table, name) for name in kind.model_fields}
    return kind.model_construct(None, **values | over)


def merged(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`table` with `over`'s values over its own: tables by key, other values as a whole."""
    result = dict(table)
    for key, value in over.items():
        old = result.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            value = merged(old, value)
        result[key] = value
    return result
