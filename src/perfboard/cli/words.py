# SPDX-License-Identifier: Apache-2.0
"""Input and output that several commands share."""

import json
import re
from collections.abc import Sequence
from typing import Any

from perfboard.model.errors import UsageError
from perfboard.model.options import parse_one_level_each
from perfboard.model.tags import TAG_NAME, TAG_VALUE

_TAG = re.compile(f"{TAG_NAME}={TAG_VALUE}")


def parse_factors(words: Sequence[str]) -> dict[str, str]:
    """The levels that --set gives. Which exist is the study's to say."""
    try:
        return parse_one_level_each(words)
    except ValueError as error:
        raise UsageError(f"--set: {error}") from error


def parse_tags(words: Sequence[str]) -> dict[str, str]:
    """The tags that --tag gives. Raises UsageError."""
    tags: dict[str, str] = {}
    for word in words:
        name, _, value = word.partition("=")
        if not _TAG.fullmatch(word) or name in ("latest", *tags):
            raise UsageError(
                f"--tag {word}: give NAME=VALUE, each name once, as in --tag commit=4f2a91c; a "
                'name is of a-z, 0-9, "-" and "_" and not "latest", a value has no blank and no "~"'
            )
        tags[name] = value
    return tags


def print_json(value: Any) -> None:
    """One JSON document on standard output; what JSON has no form for, as its text."""
    print(json.dumps(value, indent=1, default=str))
