# SPDX-License-Identifier: Apache-2.0
"""Claws Mail, a mail client (GTK 3)."""

from perfboard.measures.display.applications.base import Application, Mail
from perfboard.measures.display.applications.local_mail import mail_home

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
            **mail_home(".claws-mail"),
            ".claws-mail/clawsrc": "[Common]\ncheck_on_startup=0\nautochk_newmail=0\n"
            "confirm_on_exit=0\n",
            ".claws-mail/menurc": _MENU,
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
