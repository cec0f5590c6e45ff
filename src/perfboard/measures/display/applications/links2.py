# SPDX-License-Identifier: Apache-2.0
"""Links 2, a browser with an engine of its own, in its graphical mode."""

from perfboard.measures.display.applications.base import Application, Trust

APPLICATIONS = (
    Application(
        name="links2",
        title="Links 2, a browser",
        packages=("links2",),
        command="links2 -g home/start.html",
        # Links welcomes whoever has no folder of settings.
        home={
            ".links2/links.cfg": "",
            "start.html": "<html><head><title>Start</title></head><body>Start</body></html>\n",
        },
        # Titles and addresses above, states below.
        bars=((0, 0, 1024, 16), (0, 752, 1024, 768)),
        location=("press 67",),
        # It asks OpenSSL, which asks the environment.
        trust=Trust("sed -i 's/links2 -g/env SSL_CERT_FILE=ca.crt &/' plan"),
    ),
)
