# SPDX-License-Identifier: Apache-2.0
"""The wait that took the most of a boot, as far as its counters or its console show one."""

from perfboard.analysis.statistics.summary import summary
from perfboard.model.run import Evidence, Run
from perfboard.model.units import format_value

# A wait of less than this share of the boot is no headline.
_LEAST = 0.1
# A byte on a serial line with 8 data bits has a start bit and a stop bit.
_BITS = 10
_WAITS = "boot.total.waits."


def cause_sentence(run: Run, total_s: float) -> str:
    """The longest wait of a boot of `total_s`, and what may save it; "" if none is long.

    A timed board counts its waits. The bytes that a real board's kernel printed give an estimate
    of the time that its line took.
    """
    figures = {
        metric.name: summary(metric.samples).median
        for metric in run.metrics
        if metric.samples and not metric.labels
    }
    rate = run.board.console_baud
    at = f" at {rate} baud" if rate else ""
    printed = figures.get("boot.kernel.console")
    if run.evidence is Evidence.SILICON and rate and printed:
        place, wait_s = "console", printed * _BITS / rate
        words = f"the console{at}, for the {format_value(printed, 'B')} that the kernel printed"
        advice = "`quiet` on its command line saves up to that"
    else:
        waits = {place: figures.get(f"{_WAITS}{place}", 0.0) for place in ("console", "flash")}
        place, wait_s = max(waits.items(), key=lambda item: item[1])
        words = f"waits for the {place}{at if place == 'console' else ''}"
        advice = ""
        if place == "console" and run.factors.get("console") == "full":
            advice = "--set console=quiet saves up to that"
        elif place == "flash" and "flash" in run.factors and run.study == "boot":
            advice = f"perfboard tune boot --board {run.board.name} tries the flash's set-ups"
    if not _LEAST * total_s <= wait_s <= total_s:
        return ""
    sentence = f"{format_value(wait_s, 's')} of {format_value(total_s, 's')} are {words}"
    return f"{sentence}: {advice}." if advice else f"{sentence}."
