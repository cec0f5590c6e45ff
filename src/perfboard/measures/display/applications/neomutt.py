# SPDX-License-Identifier: Apache-2.0
"""NeoMutt, a mail client in a terminal (xterm)."""

from perfboard.measures.display.applications.base import Application, Mail

# It starts in an empty folder, looks for no new mail, and keeps no index of a folder's messages.
_SETTINGS = """\
set folder = ~
set spoolfile = ~/empty
set sort = date
set mail_check = 3600
set timeout = 3600
set read_inc = 0
set quit = yes
macro index <f5> "<change-folder>=folder<enter>"
macro index <f6> "<sort-mailbox>s"
macro index <f7> "<sort-mailbox>d"
"""

APPLICATIONS = (
    Application(
        name="neomutt",
        title="NeoMutt, a mail client in a terminal",
        packages=("neomutt", "xterm"),
        command="xterm -fa DejaVuSansMono -fs 12 -e neomutt",
        home={
            ".muttrc": _SETTINGS,
            **{f"empty/{name}/.keep": "" for name in ("cur", "new", "tmp")},
        },
        mail=Mail(
            kinds=("maildir", "mbox"),
            path="folder",
            select=(),
            open="ffc2",
            subject="ffc3",
            back="ffc4",
        ),
    ),
)
