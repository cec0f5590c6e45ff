# SPDX-License-Identifier: Apache-2.0
"""The playbacks of a run as rows: each mode under each load, against trigger 0."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from perfboard.analysis.wakeups.advice import by_mode, change
from perfboard.analysis.wakeups.power import measured_w, modelled_change, modelled_w
from perfboard.model.results.wakeups import Playback, WakeupsResult
from perfboard.model.units import format_value

WAYS = {
    "none": "nothing played",
    "sink": "Perfboard's driver",
    "alsa": "sound card, avail_min",
    "timer": "timerfd",
    "slack": "sleep with slack",
}
LOADS = {
    "idle": "Idle",
    "copy": "While files are copied",
    "burst12": "With bursts of 12 ms",
    "burst25": "With bursts of 25 ms",
}
_BLANK = "\N{EN DASH}"


@dataclass(frozen=True)
class WakeupsRow:
    """One mode under one load: medians over its playbacks, in words. `refused`: it has none."""

    way: str
    level: str
    load: str
    switches: str = ""
    fewer: str = ""
    writer: str = ""
    idle: str = ""
    copies: str = ""
    p50: str = ""
    p99: str = ""
    longest: str = ""
    missed: str = ""
    least_fill: str = ""
    power: str = ""
    saved: str = ""
    refused: str = ""


def switches_per_s(playbacks: Sequence[Playback]) -> float:
    """The median of the context switches a second."""
    return median(each.switches / each.elapsed_s for each in playbacks)


def rows(result: WakeupsResult) -> list[WakeupsRow]:
    """One for each mode under each load."""
    found = by_mode(result.playbacks)
    return [_row(result, key, played, found) for key, played in found.items()]


def _row(
    result: WakeupsResult,
    key: tuple[str, str, str],
    played: Sequence[Playback],
    found: dict[tuple[str, str, str], list[Playback]],
) -> WakeupsRow:
    load, way, level = key
    known = [each for each in played if not each.refused]
    if not known:
        return WakeupsRow(way, level, load, refused=played[0].refused)
    base = [each for each in found.get((load, way, "0"), []) if not each.refused]
    idle = median(each.idle_s / each.elapsed_s for each in known)
    fills = [fill for each in known for fill in each.fill]
    plays = way != "none"
    power, saved = _power(result, known, base if plays else [])
    p50, p99, longest = (_latency(known, share) if plays else "" for share in (0.5, 0.99, 1.0))
    return WakeupsRow(
        way=way,
        level=level,
        load=load,
        switches=f"{switches_per_s(known):.1f}",
        fewer=_change(switches_per_s(known), switches_per_s(base)) if base and plays else "",
        writer=f"{median(each.writer_switches / each.elapsed_s for each in known):.1f}"
        if plays
        else "",
        idle=f"{idle:.1%}",
        copies=_copies(known, base) if load == "copy" else "",
        p50=p50,
        p99=p99,
        longest=longest,
        missed=f"{sum(each.missed for each in known):,}" if plays else "",
        least_fill=str(min(fills)) if fills else "",
        power=power,
        saved=saved,
    )


def _power(
    result: WakeupsResult, known: Sequence[Playback], base: Sequence[Playback]
) -> tuple[str, str]:
    """The power, and its change against trigger 0: each with what it may be off by, or "" ."""
    if (measured := measured_w(known)) is not None:
        watts, error = measured
        words = f"{format_value(watts, 'W')} \N{PLUS-MINUS SIGN} {format_value(error, 'W')}"
        then = measured_w(base) if base else None
        return words, _change(watts, then[0]) if then else ""
    if result.power is None:
        return "", ""
    least, greatest = modelled_w(result.power, known)
    words = f"{format_value(least, 'W')} to {format_value(greatest, 'W')}"
    if not base or base == known:
        return words, ""
    return words, "{:+.2%} to {:+.2%}".format(*modelled_change(result.power, known, base))


def _change(value: float, before: float) -> str:
    share = change(value, before)
    return "" if share is None or value == before else f"{share:+.1%}"


def _copies(known: Sequence[Playback], base: Sequence[Playback]) -> str:
    rate = median(each.copies / each.elapsed_s for each in known)
    if not base or known[0].way == "none":
        return f"{rate:.2f}"
    more = _change(rate, median(each.copies / each.elapsed_s for each in base))
    return f"{rate:.2f} ({more})" if more else f"{rate:.2f}"


def _latency(known: Sequence[Playback], share: float) -> str:
    found = [value for each in known if (value := each.latency_at(share)) is not None]
    return format_value(median(found), "s") if found else _BLANK


def saving(result: WakeupsResult) -> str:
    """The saving of the advised trigger on an idle system, in words; "" if it was not measured."""
    wanted = ("idle", result.advised_way, result.advised)
    row = next((row for row in rows(result) if (row.load, row.way, row.level) == wanted), None)
    if row is None or not row.fewer.startswith("-"):
        return ""
    return f", with {row.fewer[1:]} fewer context switches than at trigger 0 when idle"


def power_source(result: WakeupsResult) -> str:
    """How the powers were had, in a sentence; "" if there are none."""
    if (model := result.power) is not None and not result.meter:
        return (
            "Power is modelled, not measured, and is that of the processor alone: "
            f"{_range(model.active)} when busy, {_range(model.idle)} when idle ({model.kind}: "
            f"{model.source}), times the share of time. Compare it with no measured power."
        )
    reasons = dict.fromkeys(each.no_energy for each in result.playbacks if each.no_energy)
    if reasons:
        return f"Power is inconclusive: {'; '.join(reasons)}."
    return f"Power is measured by {result.meter}." if result.meter else ""


def _range(both: tuple[float, float]) -> str:
    return " to ".join(format_value(each, "W") for each in both)


def _power_here(result: WakeupsResult, level: str) -> str:
    wanted = ("idle", "sink", level)
    row = next((row for row in rows(result) if (row.load, row.way, row.level) == wanted), None)
    if row is None or not row.saved:
        return "not measured"
    return row.saved if result.meter else f"{row.saved}, modelled, of the processor alone"


def published_rows(result: WakeupsResult) -> list[tuple[str, str, str]]:
    """Published figures and this run's: name, published, here."""
    found = by_mode(result.playbacks)

    def share(load: str, level: str, copies: bool) -> str:
        both = [
            [each for each in found.get((load, "sink", at), []) if not each.refused]
            for at in ("0", level)
        ]
        if not all(both):
            return "not measured"
        before, after = (
            median((each.copies if copies else each.switches) / each.elapsed_s for each in part)
            for part in both
        )
        return _change(after, before) or "the same"

    lines = []
    for each in result.published:
        at = f"trigger {each.level} against trigger 0"
        lines += [
            (
                f"switches while copying, {at}",
                f"{each.switches:+.0%}",
                share("copy", each.level, copies=False),
            ),
            (
                f"file copies, {at}",
                f"{each.copies:+.2%}",
                share("copy", each.level, copies=True),
            ),
            (f"power, {at}, idle", f"{each.power:+.2%}", _power_here(result, each.level)),
        ]
    return lines
