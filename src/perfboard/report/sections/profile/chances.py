# SPDX-License-Identifier: Apache-2.0
"""How likely a board keeps budgets, in words, and which published figures would tell."""

from collections.abc import Iterator

from perfboard.model.results.profile import ProfileResult, ProfileRow
from perfboard.model.run import Run
from perfboard.model.timed_as import FEWEST, StatedMargin
from perfboard.model.work import CLASSES, PUBLISHED, WORDS

_SEVERAL = "work of several kinds"


def chance_words(probability: float) -> str:
    """So many in 100; what is nearly sure is not said to be so."""
    if probability >= 0.995:
        return "more than 99 in 100"
    return f"{100 * probability:.0f} in 100" if probability >= 0.005 else "less than 1 in 100"


def row_chance(row: ProfileRow) -> str:
    """The end of the row's sentence; "" for what is known for sure, as a size is."""
    if row.probability is None or row.low == row.high:
        return ""
    return f"; the chance that the board keeps it is {chance_words(row.probability)}"


def board_chance(result: ProfileResult) -> str:
    """The sentence on all rows that must pass; "" where the verdict says the same."""
    if result.probability is None:
        lacking = any(row.lacking for row in result.rows if row.weight == "must")
        return " The chance of that is not known." if lacking and result.outcome == "pass" else ""
    if result.outcome == "fail" and result.probability < 0.005:
        return ""
    words = chance_words(result.probability)
    return f" The chance that it keeps all that it must is {words}."


def lacking_words(run: Run, result: ProfileResult) -> Iterator[str]:
    """For each class of work with too few checked figures: what somebody's would make known."""
    rows = [row for row in result.rows if row.asked]
    timed = run.timed
    for work in dict.fromkeys(work for row in rows for work in row.lacking) if timed else ():
        names = ", ".join(row.name for row in rows if work in row.lacking)
        word = next((f"{WORDS[each]} work" for each in CLASSES if each == work), _SEVERAL)
        wanted = next(
            (PUBLISHED[each] for each in CLASSES if each == work), f"figures of {_SEVERAL}"
        )
        count = timed.margins.get(work, StatedMargin()).rows if timed else 0
        held = "figure was" if count == 1 else "figures were"
        yield (
            f"No chance is known of {names}: of {word}, {count} published {held} held against the "
            f"model, and {FEWEST} are needed. It would help to have {wanted} of a board with that "
            "part."
        )
