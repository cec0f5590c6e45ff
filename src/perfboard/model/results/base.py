# SPDX-License-Identifier: Apache-2.0
"""The base of what a run has besides its metrics."""

from perfboard.model.record import Record


class Result(Record):
    """A study's result besides its metrics. `kind` tells it from others in run.json."""

    kind: str

    @property
    def undecided(self) -> bool:
        """Whether it leaves the question open for which it was made."""
        return False

    @property
    def failed(self) -> bool:
        """Whether its answer is no; the run's verdicts may say less."""
        return False

    @property
    def summary(self) -> str:
        """How much was done, or how it ended, as in "3 boots"; "" if others say it."""
        return ""


def count_words(number: int, one: str, many: str) -> str:
    """A number of things in words; "" for none."""
    return f"{number} {one if number == 1 else many}" if number else ""
