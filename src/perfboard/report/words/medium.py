# SPDX-License-Identifier: Apache-2.0
"""What a board boots from, in a word."""

_WORDS = {"card": "card", "emmc": "eMMC"}


def medium_word(level: str) -> str:
    """The word for a level of the factor `medium`; "flash" for a board without that factor."""
    return _WORDS.get(level, "flash")
