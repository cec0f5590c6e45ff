# SPDX-License-Identifier: Apache-2.0
"""The words of `perfboard choose`, the same in the terminal and on the page."""

from collections.abc import Iterator

from perfboard.analysis.choice.answer import Candidate, Choice
from perfboard.model.results.profile import OptionRow, ProfileRow
from perfboard.report.sections.profile.chances import chance_words, lacking_words
from perfboard.report.words.rows import bound_words, row_quantity, row_reach

BOARD_COLUMNS = ("board", "price", "chance", "why")
FIGURES_NOTE = (
    "\N{BALLOT X} fails, ? not decided, \N{EN DASH} not measured; \N{PLUS-MINUS SIGN}: how near "
    "the figure is known to be, \N{PLUS-MINUS SIGN}? where nobody knows."
)
_MARKS = {"pass": "", "fail": "\N{BALLOT X} ", "inconclusive": "? ", "not measured": "\N{EN DASH}"}
_MOST_REASONS = 2
# How the reason of a row begins that was left out since another fails.
_NOT_NEEDED = "not needed, since "


def answer(choice: Choice) -> str:
    """Which board to take, how surely, and the next one."""
    what = f"{choice.profile} ({choice.device[:1].lower()}{choice.device[1:]})"
    if not choice.right:
        words = f"No board is known to be right for {what}, with a chance of {_share(choice.sure)}."
        if choice.unsure:
            first = choice.unsure[0]
            words += f" {first.board} comes nearest: it {_why_unsure(first)}."
        return words
    first, *rest = choice.right
    best = "cheapest" if first.price is not None else "one with most to spare"
    price = f", at {price_words(first)}," if first.price is not None else ""
    only = f" is the {best} board that is right for " if rest else " is the one board right for "
    words = f"{first.board}{price}{only}{what}: the chance that it keeps all budgets is "
    words += f"{_share(first.probability)}."
    if rest:
        after = rest[0]
        price = f", at {price_words(after)}," if after.price is not None else ""
        words += f" The next is {after.board}{price} with {_share(after.probability)}."
    cheaper = [each for each in choice.unsure if _cheaper(each, first)]
    if cheaper:
        names = " and ".join(each.board for each in cheaper[:_MOST_REASONS])
        verb = "passes" if len(cheaper) == 1 else "pass"
        words += f" {names} may cost less and {verb}, but less surely."
    return words


def _cheaper(one: Candidate, other: Candidate) -> bool:
    return one.price is not None and (
        other.price is None or (one.currency == other.currency and one.price < other.price)
    )


def _share(probability: float | None) -> str:
    return "" if probability is None else chance_words(probability)


def price_words(candidate: Candidate) -> str:
    """The price with its currency; "" where it is not known."""
    if candidate.price is None:
        return ""
    currency = candidate.currency
    return (
        f"{candidate.price:g} {currency}"
        if currency.isalpha()
        else f"{currency}{candidate.price:g}"
    )


def chance_of(candidate: Candidate) -> str:
    """The chance that it keeps all that it must, in words."""
    return _share(candidate.probability) or "not known"


def why(candidate: Candidate, choice: Choice) -> str:
    """Why the board is right, or not."""
    if candidate in choice.right:
        return "right" if candidate is not choice.right[0] else "right: take this one"
    if candidate in choice.unsure:
        return _why_unsure(candidate)
    if candidate.result is None:
        return f"not measured: {candidate.problem}"
    reasons = list(_reasons(candidate))
    more = len(reasons) - _MOST_REASONS
    words = "; ".join(reasons[:_MOST_REASONS])
    return f"{words}; and {more} more" if more > 0 else words


def _why_unsure(candidate: Candidate) -> str:
    if candidate.probability is None:
        return "passes, but how surely is not known"
    least = min(
        candidate.musts, key=lambda row: 1.0 if row.probability is None else row.probability
    )
    return f"passes, but {least.name} only with {_share(least.probability)}"


def _reasons(candidate: Candidate) -> Iterator[str]:
    for row in candidate.musts:
        if row.outcome == "fail":
            yield f"{row.name} fails: {_figure(row)}"
    for row in candidate.musts:
        if row.outcome == "inconclusive":
            yield f"{row.name} is not decided: {_figure(row)}"
        elif row.outcome == "not measured" and not _elsewhere(candidate, row):
            yield f"{row.name} is not measured: {row.reason}"
    if candidate.problem:
        yield candidate.problem


def _elsewhere(candidate: Candidate, row: ProfileRow) -> bool:
    """Whether what left the row out is a reason by itself: another row, or the run's end."""
    return row.reason.startswith(_NOT_NEEDED) or bool(candidate.problem)


def _figure(row: ProfileRow) -> str:
    if row.value is None:
        return row.reason
    return f"{row_quantity(row, row.value)}{row_reach(row)}, {bound_words(row)}"


def rows_of(choice: Choice) -> list[ProfileRow]:
    """The rows that were asked for, as the first board that has them."""
    found: dict[str, ProfileRow] = {}
    for each in choice.all:
        for row in each.result.rows if each.result else ():
            if row.asked:
                found.setdefault(row.name, row)
    return list(found.values())


def figure_heading(row: ProfileRow) -> str:
    """The row's name and its budget."""
    return f"{row.name}, {row.budget_text}"


def figure_cell(candidate: Candidate, name: str) -> str:
    """The board's figure in a row, marked where it does not pass."""
    rows = candidate.result.rows if candidate.result else ()
    row = next((row for row in rows if row.name == name), None)
    if row is None:
        return _MARKS["not measured"]
    if row.value is None:
        return f"{_MARKS[row.outcome]}none" if row.outcome == "fail" else _MARKS[row.outcome]
    return f"{_MARKS[row.outcome]}{row_quantity(row, row.value)}{row_reach(row)}"


def options(choice: Choice) -> list[str]:
    """The boards that pass with a change of the profile's, the cheapest first; then the others."""
    found: list[tuple[float, str]] = []
    tried: dict[str, list[str]] = {}
    for each in choice.all:
        for option in each.result.options if each.result else ():
            if option.outcome == "pass":
                found.append(_turned(each, option))
            elif option.outcome != "not measured":
                tried.setdefault(each.board, []).append(option.title)
    lines = [words for _, words in sorted(found)]
    for board, titles in tried.items():
        lines.append(f"{board} does not pass with {' or with '.join(titles)}.")
    return lines


def _turned(candidate: Candidate, option: OptionRow) -> tuple[float, str]:
    """The cost of a board with an option that it passes with, and that in words."""
    result = candidate.result
    own = result.currency if result else ""
    cost = f"{option.cost:+g} {own}"
    words = f"With {option.title} ({cost}) {candidate.board} passes"
    if candidate.price is None:
        return float("inf"), f"{words}; its price is not known."
    if candidate.currency != own:
        return candidate.price + option.cost, f"{words}; it costs {price_words(candidate)} itself."
    return candidate.price + option.cost, f"{words}, for {candidate.price + option.cost:g} {own}."


def wanted(choice: Choice) -> list[str]:
    """Which published figures would make chances known that are not."""
    lines = (
        line
        for each in choice.all
        if each.run and each.result
        for line in lacking_words(each.run, each.result)
    )
    return list(dict.fromkeys(lines))


def problems(choice: Choice) -> list[str]:
    """The errors that ended runs with some figures, each once with the boards' names."""
    found: dict[str, list[str]] = {}
    for each in choice.all:
        if each.problem and each.result:
            found.setdefault(each.problem, []).append(each.board)
    return [f"{', '.join(names)}: {problem}" for problem, names in found.items()]
