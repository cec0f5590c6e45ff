# SPDX-License-Identifier: Apache-2.0
"""Sylpheed, a mail client (GTK 2)."""

import struct
from collections.abc import Mapping

from perfboard.measures.display.applications.base import Application, Mail
from perfboard.measures.display.applications.local_mail import mail_home

_MENU = """\
(gtk_accel_path "<Main>/View/Sort/by subject" "F6")
(gtk_accel_path "<Main>/View/Sort/by date" "F7")
"""


def _marks(count: int) -> Mapping[str, bytes]:
    """Sylpheed's file of marks: version 2, then each message's number and flags; none is set."""
    flags = (word for number in range(1, count + 1) for word in (number, 0))
    return {"Mail/inbox/.sylpheed_mark": struct.pack(f"<{1 + 2 * count}i", 2, *flags)}


APPLICATIONS = (
    Application(
        name="sylpheed",
        title="Sylpheed, a mail client",
        packages=("sylpheed",),
        command="sylpheed",
        home={
            **mail_home(".sylpheed-2.0"),
            # It would ask its maker's server whether there is a newer one.
            ".sylpheed-2.0/sylpheedrc": (
                "[Common]\ncheck_on_startup=0\nautochk_newmail=0\nauto_update_check=0\n"
            ),
            ".sylpheed-2.0/menurc": _MENU,
        },
        mail=Mail(
            kinds=("mh",),
            path="Mail/inbox",
            select=("ff54",),
            open="ff0d",
            subject="ffc3",
            back="ffc4",
            marks=_marks,
        ),
        # It starts in a minute where its code is read again and again, as memory is short.
        patience_s=180,
    ),
)
