# SPDX-License-Identifier: Apache-2.0
"""The figures of memory: the set-top box study's, and the shares that later kernels tell."""

from collections.abc import Mapping, Sequence
from typing import Literal

from perfboard.measures.base import Quantity
from perfboard.model.run import Metric

_MEANINGS = {
    "rss": "resident memory",
    "pss": "the same, shared pages divided among their users",
    "uss": "the same, its own pages alone",
    "vsz": "virtual size",
    "free": "the system's free memory, cache counted as free, but not what is shared",
}


def memory_figures(name: str, labels: str) -> tuple[Quantity, ...]:
    """The metrics NAME.rss and so on; `labels` says which labels they have, and when they are."""
    return tuple(
        Quantity(f"{name}.{short}", "B", f"{meaning}: {labels}", _better(short))
        for short, meaning in _MEANINGS.items()
    )


def _better(short: str) -> Literal["lower", "higher"]:
    return "higher" if short == "free" else "lower"


def memory_metric(
    name: str, short: str, labels: Mapping[str, str], samples: Sequence[float]
) -> Metric:
    """One of them."""
    return Metric(
        name=f"{name}.{short}",
        unit="B",
        labels=dict(labels),
        better=_better(short),
        samples=tuple(samples),
    )
