# SPDX-License-Identifier: Apache-2.0
"""The figures of memory: study A's, and the shares that later kernels tell."""

from collections.abc import Mapping, Sequence

from perfboard.measures.base import Figure
from perfboard.model.run import Metric

_MEANINGS = {
    "rss": "resident memory",
    "pss": "the same, shared pages divided among their users",
    "uss": "the same, its own pages alone",
    "vsz": "virtual size",
    "free": "the system's free memory, cache counted as free, but not what is shared",
}


def memory_figures(name: str, labels: str, *, has_vsz: bool = True) -> dict[str, Figure]:
    """The metrics NAME.rss and so on; `labels` says which labels they have, and when they are."""
    return {
        f"{name}.{short}": Figure("B", f"{meaning}: {labels}")
        for short, meaning in _MEANINGS.items()
        if has_vsz or short != "vsz"
    }


def memory_metric(
    name: str, short: str, labels: Mapping[str, str], samples: Sequence[float]
) -> Metric:
    """One of them."""
    return Metric(
        name=f"{name}.{short}",
        unit="B",
        labels=dict(labels),
        better="higher" if short == "free" else "lower",
        samples=tuple(samples),
    )
