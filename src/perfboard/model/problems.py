# SPDX-License-Identifier: Apache-2.0
"""The faults of a file of tables, in words."""

import json
import math

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_LONGEST_SHOWN = 60


def problems_of(error: ValidationError, kind: str, where: str) -> str:
    """All problems that pydantic found in the file of a `kind`, such as "board", a line each.

    A list that is too short only because of a wrong item is left out.
    """
    items = error.errors()
    inside = {item["loc"][:-1] for item in items}
    return "\n".join(
        f"{where}: {_say(item, kind)}"
        for item in items
        if item["type"] != "too_short" or item["loc"] not in inside
    )


def _say(item: ErrorDetails, kind: str) -> str:
    """One problem that pydantic found, as key, what was found and what is wanted."""
    key = _key(item["loc"])
    match item["type"]:
        case "missing":
            return f"{key}: is missing; give it a value"
        case "extra_forbidden":
            return f"{key}: is not a key of a {kind} file; leave it out, or spell it otherwise"
        case "value_error":
            # A check of our own model, whose words say what was found and wanted.
            return f"{key}: {item['ctx']['error']}" if key else f"{item['ctx']['error']}"
    wanted = item["msg"].removeprefix("Input should ").removeprefix("be ")
    if item["type"] == "string_pattern_mismatch":
        wanted = f"a text that matches {item['ctx']['pattern']}"
    elif item["type"] in ("model_type", "dict_type", "model_attributes_type"):
        wanted = "a table"
    elif item["type"] in ("tuple_type", "list_type"):
        wanted = "a list"
    elif item["type"] == "string_too_short":
        wanted = f"a text of {item['ctx']['min_length']} characters at least"
    elif isinstance(item["input"], float) and math.isnan(item["input"]):
        wanted = "a number"
    elif item["type"] == "too_short":
        wanted = f"{item['ctx']['min_length']} or more of them"
    elif item["type"] == "too_long":
        wanted = f"{item['ctx']['max_length']} of them at most"
    return f"{key}: found {show_value(item['input'])}; give {wanted}"


def _key(parts: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)[1:]


def show_value(value: object) -> str:
    """A value nearly as TOML writes it, on one line and not long."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
