# SPDX-License-Identifier: Apache-2.0
"""Sylpheed, a mail client (GTK 2)."""

from perfboard.studies.profile.applications.base import Application

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
<folderitem type="inbox" name="inbox" path="inbox"/>
<folderitem type="outbox" name="sent" path="sent"/>
<folderitem type="draft" name="draft" path="draft"/>
<folderitem type="queue" name="queue" path="queue"/>
<folderitem type="trash" name="trash" path="trash"/>
</folder>
</folderlist>
"""

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
            **{
                f"Mail/{name}/.mh_sequences": ""
                for name in ("inbox", "sent", "draft", "queue", "trash")
            },
        },
    ),
)
