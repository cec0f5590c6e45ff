# SPDX-License-Identifier: Apache-2.0
"""Options of captures and meters: the marks of channels, the supply's voltage."""

import re
from collections.abc import Sequence


def parse_volts(text: str) -> float:
    """Parses a supply's voltage."""
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,6})?", text) or not 0 < float(text) <= 1000:
        raise ValueError(f'"{text}" is no number of volts above 0, at most 1000')
    return float(text)


_MARK = re.compile(r"[a-z][A-Za-z0-9._:+-]{0,79}")


def parse_channels(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Parses CHANNEL=MARK words, each with the marks that a channel's first edges are."""
    found: dict[str, tuple[str, ...]] = {}
    for pair in ",".join(words).split(","):
        channel, equals, marks = (part.strip() for part in pair.partition("="))
        names = tuple(marks.split("/"))
        if not channel or not equals or not any(names):
            raise ValueError(f'it takes CHANNEL=MARK, as in D0=kernel.entry; found "{pair}"')
        wrong = [name for name in names if name and not _MARK.fullmatch(name)]
        if wrong:
            raise ValueError(f'"{wrong[0]}" is no mark: a small letter, then letters, digits, dots')
        if channel in found:
            raise ValueError(f"channel {channel} is given twice; write D0=first/second")
        found[channel] = names
    return found
