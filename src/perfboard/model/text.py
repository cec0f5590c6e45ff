# SPDX-License-Identifier: Apache-2.0
"""Text for people: safe to show in a terminal, and near to what they wrote."""

import difflib
import re
import signal
from collections.abc import Iterable

# A suggestion is at least so much like the word, by difflib's ratio.
_ALIKE = 0.7


def printable(text: str) -> str:
    """`text` with "?" for what does not print; newlines and tabs stay."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)


def signal_name(number: int) -> str:
    """As in "SIGKILL"; "signal 99" for one that this machine does not have."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown `word`: the question after the known word that is
    most like it, or a full stop.

    A word that differs by its digits alone names another thing: nobody misspells rpi5 as rpi3.
    """
    others = [each for each in known if _without_digits(each) != _without_digits(word)]
    close = difflib.get_close_matches(word, others, n=1, cutoff=_ALIKE)
    return f'; did you mean "{close[0]}"?' if close else "."


def _without_digits(word: str) -> str:
    return re.sub(r"\d+", "", word)
