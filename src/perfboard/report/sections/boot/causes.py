# SPDX-License-Identifier: Apache-2.0
"""The wait that took the most of a boot, as far as its counters or its console show one."""

from perfboard.analysis.statistics.summary import summary
from perfboard.model.run import Evidence, Run
from perfboard.model.units import format_size, format_value
from perfboard.report.words.commands import tune_command
from perfboard.report.words.medium import medium_word

# A wait of less than this share of the boot is no headline.
_LEAST = 0.1
# A byte on a serial line with 8 data bits has a start bit and a stop bit.
_BITS = 10
# A kernel by lz4 and the same by others: the time to unpack it, and its size. Measured on
# verdex's kernel, timed as rpi2: perfboard study boot --board rpi2 --set compression=lz4
_LZ4 = {"gzip": (0.371, 1.145)}
_WAITS = "boot.total.waits."
_LOAD = "boot.kernel.load"


def cause_sentence(run: Run, total_s: float) -> str:
    """The longest wait of a boot of `total_s`, and what may save it; "" if none is long.

    A timed board counts its waits. The bytes that a real board's kernel printed give an estimate
    of the time that its line took.
    """
    figures = _figures(run)
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
        medium = medium_word(run.factors.get("medium", ""))
        words = f"waits for the {medium if place == 'flash' else place + at}"
        advice = ""
        if place == "console" and run.factors.get("console") == "full":
            advice = "--set console=quiet saves up to that"
        elif place == "flash" and run.study == "boot" and (tune := tune_command(run)):
            if medium != "flash":
                advice = f"`{tune}` tries what makes the kernel smaller"
            elif "flash" in run.factors:
                advice = f"`{tune}` tries the flash's set-ups"
    if wait_s <= 0 or not _LEAST * total_s <= wait_s <= total_s:
        return ""
    sentence = f"{format_value(wait_s, 's')} of {format_value(total_s, 's')} are {words}"
    return f"{sentence}: {advice}." if advice else f"{sentence}."


def compression_sentence(run: Run, total_s: float) -> str:
    """The cost of decompression to a boot of `total_s`, and what is faster; "" if it is little.

    The size that an uncompressed kernel may have is by the equation of the boot study of 2009, from
    this boot's own rate of copying: size / rate = compressed size / rate + decompression. The
    saving by lz4 is an estimate from another kernel.
    """
    figures, by = _figures(run), run.factors.get("compression", "")
    names = (f"{_LOAD}.copy", f"{_LOAD}.decompress", "image.kernel.size")
    copy_s, unpack_s, size = (figures.get(name, 0.0) for name in names)
    if run.study != "boot" or run.evidence is Evidence.COUNTED:
        return ""
    if by in ("", "none") or unpack_s < _LEAST * total_s:
        return ""
    words = f"{format_value(unpack_s, 's')} are decompression by {by}"
    if copy_s and size:
        most = format_size(round(size * (copy_s + unpack_s) / copy_s))
        words += (
            f": at this boot's rate of copying, an uncompressed kernel of less than {most} "
            "would be there sooner"
        )
    if by in _LZ4 and copy_s:
        share, larger = _LZ4[by]
        saved = unpack_s * (1 - share) - copy_s * (larger - 1)
        if saved > 0:
            words += (
                f"{', and' if size else ':'} lz4 would save about {format_value(saved, 's')} "
                f"(estimate: verdex's kernel, timed as rpi2, unpacks in {share:.0%} of {by}'s time "
                f"and is {larger - 1:.0%} larger)"
            )
    tune = tune_command(run)
    return f"{words}; `{tune}` tries each compression." if tune else f"{words}."


def _figures(run: Run) -> dict[str, float]:
    return {
        metric.name: summary(metric.samples).median
        for metric in run.metrics
        if metric.samples and not metric.labels
    }
