# SPDX-License-Identifier: Apache-2.0
"""Logs through `ts` of moreutils, which stamps a line once it has it whole."""

import re

from perfboard.importers.consoles.stamps import (
    CLOCK,
    DATE,
    MONTH,
    SECONDS,
    ZONE,
    stamp,
    stamped_importer,
)

_FRACTION = rb"(?:\.(?P<fraction>[0-9]{6}))"
_ZONE = rb"(?: ?" + ZONE + rb")?"
# ts, ts -s and -i, ts %.s, ts '%F %.T', ts '%FT%.T%z'.
_FORMS = [
    MONTH + rb" " + CLOCK + _FRACTION + rb"? ",
    CLOCK + _FRACTION + rb"? ",
    SECONDS + _FRACTION + rb"? ",
    DATE + rb"[ T]" + CLOCK + _FRACTION + rb"?" + _ZONE + rb" ",
    # In brackets, where no other program writes the same.
    rb"\[" + MONTH + rb" " + CLOCK + _FRACTION + rb"?\] ",
    rb"\[" + DATE + rb"[ T]" + CLOCK + _FRACTION + _ZONE + rb"\] ",
]
# picocom's own words, which are piped through as well.
_OWN = (
    rb"picocom v[0-9]|port is +:|flowcontrol +:|baudrate is +:|parity are +:|parity is +:"
    rb"|databits are +:|Type \[C-a\]|Terminal ready"
)

IMPORTER = stamped_importer(
    "ts",
    "a log through `ts` of moreutils, in its formats: absolute, -s, -i, %.s, %.S",
    [stamp(form) for form in _FORMS],
    at_end=True,
    since=True,
    own=re.compile(_OWN),
)
