# SPDX-License-Identifier: Apache-2.0
"""Chromium, a browser."""

from perfboard.measures.display.applications.base import Application
from perfboard.measures.display.applications.nss import trusts_by

# The sandbox refuses root, as whom a board's programs run. It is off everywhere, so that targets
# compare; "--test-type" tells it not to warn of that. Each start is to load all of a page, so that
# there is no room for a cache on the disk.
_OPTIONS = (
    "--no-sandbox --test-type --no-first-run --user-data-dir=home/profile --password-store=basic "
    "--disk-cache-size=1 --disable-gpu --disable-sync --disable-background-networking "
    "--disable-component-update"
)

APPLICATIONS = (
    Application(
        name="chromium",
        title="Chromium, a browser",
        packages=("chromium",),
        command=f"chromium {_OPTIONS} about:blank",
        bars=((0, 0, 1024, 88), (0, 740, 512, 768)),
        location=("press ffe3+6c", "pause 300"),
        trust=trusts_by(".pki/nssdb"),
        scripts=True,
    ),
)
