# SPDX-License-Identifier: Apache-2.0
"""Sylpheed, a mail client (GTK 2)."""

import struct
from collections.abc import Mapping

from perfboard.studies.profile.applications.base import Application, Mail

# Protocol 5 is local delivery: no server is asked, and no wizard opens.
_ACCOUNT = """\
[Account: 1]
account_name=local
is_default=1
name=Somebody
address=somebody@list.example
protocol=5
"""
_FOLDERS = """\
<?xml version="1.0" encoding="UTF-8"?>
<folderlist>
<folder type="mh" name="Mail" path="Mail">
<folderitem type="inbox" name="inbox" path="inbox" threaded="0" sort_key="date"
 sort_type="ascending"/>
<folderitem type="outbox" name="sent" path="sent"/>
<folderitem type="draft" name="draft" path="draft"/>
<folderitem type="queue" name="queue" path="queue"/>
<folderitem type="trash" name="trash" path="trash"/>
</folder>
</folderlist>
"""

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
            ".sylpheed-2.0/accountrc": _ACCOUNT,
            ".sylpheed-2.0/sylpheedrc": "[Common]\ncheck_on_startup=0\nautochk_newmail=0\n",
            ".sylpheed-2.0/folderlist.xml": _FOLDERS,
            ".sylpheed-2.0/menurc": _MENU,
            **{
                f"Mail/{name}/.mh_sequences": ""
                for name in ("inbox", "sent", "draft", "queue", "trash")
            },
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
    ),
)
