# SPDX-License-Identifier: Apache-2.0
"""Measurements of a board: one record a measure, with its figures or the reason for none."""

from typing import Literal

from pydantic import Field

from perfboard.model.blocks import Block
from perfboard.model.record import Quantity, Record
from perfboard.model.results.base import Result, count_words
from perfboard.model.results.probes import ProbeProcess


class Figure(Record):
    """A value of the first screen: the median of its metric's samples, in `unit`.

    `busy` is the processor's share of the time. `published` is what somebody measured of the
    real board, and `source` says who; `differs` says why `value` is far from it.
    """

    title: str
    metric: str
    labels: dict[str, str] = Field(default_factory=dict)
    unit: str
    better: Literal["lower", "higher"] = "higher"
    value: Quantity
    busy: Quantity | None = None
    published: Quantity | None = None
    source: str = ""
    differs: str = ""


class Measurement(Record):
    """One measure on the board, with its parameters; the run's metrics say by place that they are
    of it.

    `levels` are those that it was measured at in place of the run's factors. `short` says it in a
    few words, `limit` names what held the board back ("" where nothing tells), and `why` says how
    that is known. `reason` says why nothing was measured, and `failed` whether the board broke
    down under it. `absent` has the reasons why it gave none of a metric, by its name. `host_s` is
    how long it took on the host. `blocks` are its own section of the report.
    """

    measure: str
    title: str = ""
    parameters: dict[str, bool | int | float | str] = Field(default_factory=dict)
    levels: dict[str, str] = Field(default_factory=dict)
    figures: tuple[Figure, ...] = ()
    short: str = ""
    limit: str = ""
    why: str = ""
    reason: str = ""
    failed: bool = False
    absent: dict[str, str] = Field(default_factory=dict)
    host_s: Quantity = 0.0
    blocks: tuple[Block, ...] = ()


class MeasuresResult(Result):
    """All that was measured; `processes` are those of probes, to which samples belong by place."""

    kind: Literal["measures"] = "measures"
    measurements: tuple[Measurement, ...] = ()
    processes: tuple[ProbeProcess, ...] = ()

    @property
    def own(self) -> tuple[Measurement, ...]:
        """All but those of probes that left nothing but their processes and metrics."""
        probes = {process.probe for process in self.processes}
        return tuple(
            each
            for each in self.measurements
            if each.figures or each.short or each.blocks or each.measure not in probes
        )

    @property
    def summary(self) -> str:
        """How many measured something, if any says so, and how many processes of probes ran."""
        any_words = any(each.figures or each.short or each.reason for each in self.own)
        measured = sum(not each.reason for each in self.own)
        words = f"{measured} of {len(self.own)} measures taken" if any_words else ""
        processes = count_words(len(self.processes), "process", "processes")
        return ", ".join(filter(None, (words, processes)))


RESULT = MeasuresResult
