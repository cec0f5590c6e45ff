# SPDX-License-Identifier: Apache-2.0
"""Logs of tio --timestamp, which stamps the first byte of a line, in all its formats."""

import re

from perfboard.importers.consoles.stamps import CLOCK, DATE, stamp, stamped_importer

_MS = rb"\.(?P<fraction>[0-9]{3})"

IMPORTER = stamped_importer(
    "tio",
    "a log of tio --timestamp: [12:34:56.789] text, or with a date, or an epoch's seconds",
    [
        stamp(rb"\[" + form + rb"\] ")
        for form in (
            CLOCK + _MS,
            DATE + rb"T" + CLOCK + _MS,
            rb"(?P<seconds>[0-9]{9,11})\.(?P<fraction>[0-9]{3}|[0-9]{6})",
        )
    ],
    since=True,
    own=re.compile(
        rb"(?:\x1b\[[0-9;]{0,16}m)?"
        rb"(?:tio v?[0-9]|Press ctrl-t|Connected|Disconnected|Waiting for tty)"
    ),
)
