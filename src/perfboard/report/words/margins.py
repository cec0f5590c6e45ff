# SPDX-License-Identifier: Apache-2.0
"""A board's margins in words."""

from collections.abc import Mapping

from perfboard.model.work import CLASSES, WORDS


def margins_words(margins: Mapping[str, float]) -> str:
    """Margins by class of work, and the classes without; "" where no class has one."""
    if not margins:
        return ""
    stated = (f"{WORDS[work]} {margins[work]:.0%}" for work in CLASSES if work in margins)
    words = f"By class of work: {', '.join(stated)}."
    rest = [WORDS[work] for work in CLASSES if work not in margins]
    return f"{words} Not checked: {', '.join(rest)}." if rest else words
