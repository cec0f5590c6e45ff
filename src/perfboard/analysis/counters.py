# SPDX-License-Identifier: Apache-2.0
"""The counts of the scope's timing model, as metrics: misses, and times waited."""

from collections.abc import Mapping, Sequence

from perfboard.model.run import Metric

_FS = 1e15
# Counters are named by what is waited for, or by what missed.
_WAITS = "_fs"
_MISSES = "_misses"
_NOT_WAITS = ("cycles_fs", "core_fs")
_WORDS = {"uart": "console"}


def counter_metrics(prefix: str, counted: Sequence[Mapping[str, int]]) -> tuple[Metric, ...]:
    """`<prefix>.misses.<cache>` in 1 and `<prefix>.waits.<cause>` in s, a sample each of `counted`.

    Those that each of them has, in the first's order. Waits are parts of the processor's time.
    """
    names = [name for name in counted[0] if all(name in each for each in counted)]
    misses = [
        _metric(f"{prefix}.misses.{name.removesuffix(_MISSES)}", "1", counted, name, 1.0)
        for name in names
        if name.endswith(_MISSES)
    ]
    waits = []
    for name in names:
        if name.endswith(_WAITS) and name not in _NOT_WAITS:
            cause = name.removesuffix(_WAITS)
            cause = _WORDS.get(cause, cause)
            waits.append(_metric(f"{prefix}.waits.{cause}", "s", counted, name, _FS))
    return (*misses, *waits)


def _metric(
    name: str, unit: str, counted: Sequence[Mapping[str, int]], counter: str, scale: float
) -> Metric:
    samples = tuple(each[counter] / scale for each in counted)
    return Metric.model_validate({"name": name, "unit": unit, "samples": samples})
