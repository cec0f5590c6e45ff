# SPDX-License-Identifier: Apache-2.0
"""Claws Mail, a mail client (GTK 3)."""

from perfboard.studies.profile.applications.base import Application, Mail

# An account of local delivery (protocol 5), and folders that there are: no wizard opens.
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
(gtk_accel_path "<Actions>/Menu/View/Sort/Subject" "F6")
(gtk_accel_path "<Actions>/Menu/View/Sort/Date" "F7")
"""

APPLICATIONS = (
    Application(
        name="claws-mail",
        title="Claws Mail, a mail client",
        packages=("claws-mail",),
        command="claws-mail",
        home={
            ".claws-mail/accountrc": _ACCOUNT,
            ".claws-mail/clawsrc": "[Common]\ncheck_on_startup=0\nautochk_newmail=0\n"
            "confirm_on_exit=0\n",
            ".claws-mail/folderlist.xml": _FOLDERS,
            ".claws-mail/menurc": _MENU,
            **{
                f"Mail/{name}/.mh_sequences": ""
                for name in ("inbox", "sent", "draft", "queue", "trash")
            },
        },
        # The toolbar's arrow, which is there or not, and the pointer, which is an arrow or a bar.
        masks=((976, 26, 1022, 92), (496, 368, 528, 402)),
        mail=Mail(
            kinds=("mh",),
            path="Mail/inbox",
            select=("ff54", "ff54"),
            open="ff0d",
            subject="ffc3",
            back="ffc4",
        ),
    ),
)
