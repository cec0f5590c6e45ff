# SPDX-License-Identifier: Apache-2.0
"""The counts of the scope's timing model, as metrics: misses, and times waited."""

import re
from collections.abc import Mapping, Sequence

from perfboard.model.run import Metric, Unit

_FS = 1e15
# Counters are named by what is waited for, or by what missed.
_WAITS = "_fs"
_MISSES = "_misses"
_NOT_WAITS = ("cycles_fs", "core_fs")
_WORDS = {"uart": "console"}
# The scope's counts of one core of several: unit, scale and words.
_OF_CORE = re.compile(r"core(\d+)_(instructions|busy_fs|paused_fs)", re.ASCII)
_CORE_WORDS: Mapping[str, tuple[str, Unit, float, str]] = {
    "instructions": ("instructions", "1", 1.0, "instructions of core"),
    "busy_fs": ("busy", "s", _FS, "busy: core"),
    "paused_fs": ("paused", "s", _FS, "waited for another core (WFE, YIELD): core"),
}
TITLES = {
    "misses.l1i": "L1 instruction misses",
    "misses.l1d": "L1 data misses",
    "misses.l2": "L2 misses",
    "misses.tlb": "TLB misses",
    "misses.branch": "branches mispredicted",
    "misses.exclusive": "exclusive stores that another core made fail",
    "waits.icache": "waited for instructions",
    "waits.dcache": "waited for data",
    "waits.tlb": "waited for the TLB",
    "waits.branch": "waited after branches",
    "waits.write": "waited for writes",
    "waits.flash": "waited for flash",
    "waits.device": "waited for devices",
    "waits.console": "waited for the console",
    "waits.shared": "waited for what another core had",
}


def core_count(counters: Mapping[str, int]) -> int:
    """How many cores the counters tell apart; 0 for a board with one."""
    found = (_OF_CORE.fullmatch(name) for name in counters)
    return sum(each is not None and each[2] == "instructions" for each in found)


def counter_metrics(prefix: str, counted: Sequence[Mapping[str, int]]) -> tuple[Metric, ...]:
    """`<prefix>.misses.<cache>` in 1 and `<prefix>.waits.<cause>` in s, a sample each of `counted`.

    Those that each of them has, in the first's order. Waits are parts of the processor's time. Each
    core of several has `<prefix>.core<N>.instructions`, `.busy` and `.paused`.
    """
    names = [name for name in counted[0] if all(name in each for each in counted)]
    misses = [
        _metric(prefix, f"misses.{name.removesuffix(_MISSES)}", "1", counted, name, 1.0)
        for name in names
        if name.endswith(_MISSES)
    ]
    cores, waits = [], []
    for name in names:
        if of_core := _OF_CORE.fullmatch(name):
            what, unit, scale, title = _CORE_WORDS[of_core[2]]
            own = f"core{of_core[1]}.{what}"
            cores.append(_metric(prefix, own, unit, counted, name, scale, f"{title} {of_core[1]}"))
        elif name.endswith(_WAITS) and name not in _NOT_WAITS:
            cause = name.removesuffix(_WAITS)
            cause = _WORDS.get(cause, cause)
            waits.append(_metric(prefix, f"waits.{cause}", "s", counted, name, _FS))
    return (*misses, *waits, *cores)


def _metric(
    prefix: str,
    name: str,
    unit: Unit,
    counted: Sequence[Mapping[str, int]],
    counter: str,
    scale: float,
    title: str = "",
) -> Metric:
    return Metric(
        name=f"{prefix}.{name}",
        title=title or TITLES.get(name, ""),
        unit=unit,
        samples=tuple(each[counter] / scale for each in counted),
    )
