# SPDX-License-Identifier: Apache-2.0
"""The word for the medium that a board boots from."""

_WORDS = {"card": "card", "emmc": "eMMC"}


def medium_word(level: str) -> str:
    """The word for a level of the factor `medium`; "flash" for a board without that factor."""
    return _WORDS.get(level, "flash")
