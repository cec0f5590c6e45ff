# SPDX-License-Identifier: Apache-2.0
"""A board's margins in words."""

from collections.abc import Mapping

from perfboard.model.timed_as import SEVERAL, StatedMargin
from perfboard.model.work import CLASSES, WORDS

# Classes of work in words, and what is of several.
WORK_WORDS: dict[str, str] = {
    **{str(work): word for work, word in WORDS.items()},
    SEVERAL: "several kinds together",
}


def margins_words(margins: Mapping[str, StatedMargin], source: str) -> str:
    """How near a board's times are known to be, by class of work; `source`: what that rests on."""
    if not margins:
        return f"Nobody knows how near its times are to the real board's: {source}."
    if not any(stated.rows for stated in margins.values()):
        return _as_before(margins, source)
    order = [work for work in (*CLASSES, SEVERAL) if work in margins]
    known = [
        f"{WORK_WORDS[work]} {_margin(margins[work])}" for work in order if margins[work].share
    ]
    seen = [
        f"{WORK_WORDS[work]} {_worst(margins[work])}" for work in order if not margins[work].share
    ]
    words = []
    if known:
        words.append(f"95 of 100 figures of the part lie within: {', '.join(known)}.")
    if any(stated.covered is not None for stated in margins.values()):
        words.append("In brackets: those within the margin of the others.")
    if seen:
        words.append(f"Too few for a margin, worst seen: {', '.join(seen)}.")
    words.append(f"By {source}.")
    if rest := [WORDS[work] for work in CLASSES if work not in margins]:
        words.append(f"Not checked: {', '.join(rest)}.")
    return " ".join(words)


def _as_before(margins: Mapping[str, StatedMargin], source: str) -> str:
    """The words on an older run's, which were the worst errors, rounded up, and not 95 of 100."""
    several = margins.get(SEVERAL, StatedMargin()).share or 0.0
    words = f"Each time may be wrong by {several:.0%} ({source})."
    if all(stated.share == several for stated in margins.values()) and len(margins) > 1:
        return words
    known = [f"{WORDS[work]} {margins[work].share:.0%}" for work in CLASSES if work in margins]
    rest = [WORDS[work] for work in CLASSES if work not in margins]
    return f"{words} By class of work: {', '.join(known)}. Not checked: {', '.join(rest)}."


def _margin(stated: StatedMargin) -> str:
    covered = f" ({stated.covered} of {stated.rows})" if stated.covered is not None else ""
    return f"{stated.share:.0%}{covered}"


def _worst(stated: StatedMargin) -> str:
    return f"{stated.worst:.0%} (of {stated.rows})"
