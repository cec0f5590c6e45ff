# SPDX-License-Identifier: Apache-2.0
"""How far the figures of a real board reach: metrics beyond them are extrapolated."""

import re
from collections.abc import Iterable, Mapping

from perfboard.model.run import Metric

# How the metrics of a program's trial begin.
TRIED = "try"
SIZE = "size"
# A row checks one operation: a figure of copies says nothing of reads.
_DONE = ("operation", "method")
_BYTES = re.compile(r"[0-9]{1,18}")


def extrapolated(
    metrics: Iterable[Metric], checked: dict[str, tuple[int, int] | None]
) -> list[str]:
    """The metrics that nothing of the real board was held against, at some size or all.

    By their names, with the operation or method where figures are of another.
    """
    names: dict[str, None] = {}
    for metric in metrics:
        plain = TRIED if metric.name.startswith(f"{TRIED}.") else metric.name
        whole = named(plain, metric.labels)
        # A figure that names no operation is of the best of them.
        held = [checked[name] for name in {plain, whole} if name in checked]
        size = size_of(metric)
        if not any(sizes is None or not size or sizes[0] <= size <= sizes[1] for sizes in held):
            others = any(name.startswith(f"{plain} ") for name in checked)
            names[whole if others else metric.name] = None
    return list(names)


def named(name: str, labels: Mapping[str, str]) -> str:
    """The metric's name, and after it the operation or method that its labels give."""
    return " ".join([name, *(labels[label] for label in _DONE if label in labels)])


def size_of(metric: Metric) -> int:
    """The size in bytes that the metric is of; 0 for none."""
    text = metric.labels.get(SIZE, "")
    return int(text) if _BYTES.fullmatch(text) else 0
