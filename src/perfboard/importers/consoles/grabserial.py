# SPDX-License-Identifier: Apache-2.0
"""Logs of grabserial, which stamps the first byte of a line: -t, -T, or both; -n without deltas."""

from perfboard.importers.consoles.stamps import CLOCK, FRACTION, SECONDS, stamp, stamped_importer

_SINCE = rb" [0-9]{1,9}\.[0-9]{6}"
_ELAPSED = SECONDS + FRACTION

IMPORTER = stamped_importer(
    "grabserial",
    "a log of grabserial -t or -T: [12.345678 0.000123] text",
    # Without deltas, times of 10,000 s and more are the kernel's.
    [
        stamp(rb"\[" + form + rb"\] ")
        for form in (
            _ELAPSED + _SINCE,
            rb"(?P<seconds>[0-9]{1,4})\.(?P<fraction>[0-9]{6})",
            CLOCK + FRACTION + _SINCE + rb"(?:" + _SINCE + rb")?",
            CLOCK + rb"\.(?P<fraction>[0-9]{6})",
        )
    ],
    since=True,
)
