# SPDX-License-Identifier: Apache-2.0
"""Dillo, the smallest of Debian's graphical browsers (FLTK)."""

from perfboard.measures.display.applications.base import Application, Trust

APPLICATIONS = (
    Application(
        name="dillo",
        title="Dillo, a browser",
        packages=("dillo",),
        command="dillo about:splash",
        home={".dillo/dillorc": "geometry=1024x768\n"},
        bars=((0, 0, 1024, 76), (0, 740, 1024, 768)),
        location=("press ffe3+6c",),
        trust=Trust('mkdir -p home/.dillo/certs && cp ca.crt "home/.dillo/certs/$CA.0"'),
    ),
)
