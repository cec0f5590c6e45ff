# SPDX-License-Identifier: Apache-2.0
"""The verdicts of a device's profile on a board, as a run has them."""

from typing import Literal

from pydantic import Field

from perfboard.model.record import Quantity, Record
from perfboard.model.results.base import Result

RowOutcome = Literal["pass", "fail", "inconclusive", "not measured"]


class PublishedRow(Record):
    """A published figure, in the row's unit and as it was written, and what it is of."""

    value: Quantity
    text: str
    of: str


class PublishedSource(Record):
    """Who published the rows' figures, and the board that they are of."""

    source: str
    board: str


class ProfileRow(Record):
    """A key issue or a scenario, and its verdict.

    `value` is between `low` and `high`, all in `unit`; None where nothing was measured, for the
    `reason`. `least` says that the budget is the least that does. `limit` names what held the
    board back, "" where nothing tells.
    """

    name: str
    question: str
    weight: Literal["must", "should"]
    scenario: bool = False
    metric: str
    unit: str
    budget: Quantity
    budget_text: str
    least: bool
    outcome: RowOutcome
    value: Quantity | None = None
    low: Quantity | None = None
    high: Quantity | None = None
    reason: str = ""
    limit: str = ""
    published: PublishedRow | None = None


class OptionRow(Record):
    """A change of the device: its cost, and the rows that it turns from fail to pass.

    `outcome` is that of the whole profile with it; `reason` says why it was not tried. `rows` are
    those that have another value with it.
    """

    name: str
    title: str
    cost: Quantity
    turns: tuple[str, ...] = ()
    outcome: RowOutcome
    reason: str = ""
    rows: tuple[ProfileRow, ...] = ()


class Picture(Record):
    """The screen `time_s` after a task began; `png` is the file in base64.

    `moment` is "first" (pixel), "half" (of the pixels that change), "final" (99.9 % of the
    screen's), "stable", or "refused".
    """

    moment: str
    time_s: Quantity
    png: str


class Film(Record):
    """The pictures of one task of a workload, in the order of their times.

    `hash` is of the pixels that count, at the end of the first sample that was accepted: the same
    for the same picture, on all virtual boards, or on all live targets. "": none was.
    """

    workload: str
    task: str
    pictures: tuple[Picture, ...]
    hash: str = ""


class DoneTask(Record):
    """A workload that was measured, so that a later run need not measure it again.

    `metrics` is how many metrics of the run, in their order, are this one's; `host_s` is how long
    it took on the host. `absent` has the reasons why the target gave none of a metric, by its name.
    """

    workload: str
    parameters: dict[str, bool | int | float | str]
    metrics: int
    host_s: Quantity
    absent: dict[str, str] = Field(default_factory=dict)


class ProfileResult(Result):
    """A profile's verdicts. `outcome` is that of its rows of weight must together.

    `source` is the SHA-256 sum of the profile's file.
    """

    kind: Literal["profile"] = "profile"
    profile: str
    device: str
    audience: str
    currency: str
    # The price of the board; None where it is not known.
    price: Quantity | None = None
    outcome: RowOutcome
    rows: tuple[ProfileRow, ...]
    options: tuple[OptionRow, ...] = ()
    films: tuple[Film, ...] = ()
    source: str = ""
    published: PublishedSource | None = None
    tasks: tuple[DoneTask, ...] = ()

    @property
    def undecided(self) -> bool:
        """See `Result`."""
        return self.outcome in ("inconclusive", "not measured")

    @property
    def failed(self) -> bool:
        """See `Result`."""
        return self.outcome == "fail"

    @property
    def summary(self) -> str:
        """The outcome, in words."""
        return f"{self.profile}: {self.outcome}"


RESULT = ProfileResult
