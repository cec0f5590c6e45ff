# SPDX-License-Identifier: Apache-2.0
"""A home for Sylpheed and its kin: an account of local delivery, and folders of MH."""

from collections.abc import Mapping

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


def mail_home(folder: str) -> Mapping[str, str]:
    """The files of it; the client has its own in `folder`."""
    return {
        f"{folder}/accountrc": _ACCOUNT,
        f"{folder}/folderlist.xml": _FOLDERS,
        **{
            f"Mail/{name}/.mh_sequences": ""
            for name in ("inbox", "sent", "draft", "queue", "trash")
        },
    }
