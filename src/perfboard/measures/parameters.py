# SPDX-License-Identifier: Apache-2.0
"""Parameters of a measure, as the user gives them."""

from collections.abc import Mapping

from perfboard.measures.base import Measure
from perfboard.model.errors import UsageError
from perfboard.model.profile import Value
from perfboard.model.text import nearest

_TRUTH = {"true": True, "false": False}


def check_parameters(measure: Measure, given: Mapping[str, Value], where: str) -> None:
    """Raises UsageError, which `where` begins, for one that the measure lacks, or a wrong kind."""
    defaults = measure.defaults()
    for name, value in given.items():
        if name not in defaults:
            has = f"It has: {', '.join(defaults)}" if defaults else "It has none"
            raise UsageError(
                f'{where}: {measure.name} has no parameter "{name}"{nearest(name, defaults)} {has}'
            )
        check_value(value, defaults[name], f"{where}: {name}")


def check_labels(measure: Measure, given: Mapping[str, str], where: str) -> None:
    """Raises UsageError, which `where` begins, for labels that no metric of the measure has."""
    known = measure.labels
    for name, value in given.items() if known else ():
        if name in known and value not in known[name]:
            raise UsageError(
                f'{where}: no {name} of {measure.name} is "{value}"{nearest(value, known[name])} '
                f"They are: {', '.join(known[name])}"
            )
        if name not in known and name not in measure.defaults():
            raise UsageError(
                f'{where}: {measure.name} has no label "{name}"{nearest(name, known)} '
                f"It has: {', '.join(known)}"
            )


def check_value(value: Value, default: Value, where: str) -> None:
    """Raises UsageError for text where the default is a number, and the like."""
    wanted = next(
        words
        for kind, words in ((bool, "true or false"), (int | float, "a number"), (str, "text"))
        if isinstance(default, kind)
    )
    fits = (
        isinstance(value, type(default))
        if isinstance(default, bool | str)
        else isinstance(value, int | float) and not isinstance(value, bool)
    )
    if not fits:
        raise UsageError(f"{where} is {value!r}; give {wanted}, as {default!r}")


def parse_value(text: str) -> Value:
    """The truth value or the number that a text is, or else the text."""
    if text in _TRUTH:
        return _TRUTH[text]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
