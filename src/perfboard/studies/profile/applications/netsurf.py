# SPDX-License-Identifier: Apache-2.0
"""NetSurf, a browser with an engine of its own (GTK)."""

from perfboard.studies.profile.applications.base import Application, Trust

APPLICATIONS = (
    Application(
        name="netsurf",
        title="NetSurf, a browser",
        packages=("netsurf-gtk",),
        command="netsurf-gtk about:blank",
        # Each start is to load all of a page. The cache in memory remains.
        home={".config/netsurf/Choices": "disc_cache_size:0\n"},
        # The state, which tells how long the page took.
        masks=((0, 749, 1024, 768),),
        bars=((0, 0, 1024, 44),),
        location=("press ffe3+6c", "pause 300"),
        trust=Trust('echo "ca_bundle:$PWD/ca.crt" >> home/.config/netsurf/Choices'),
    ),
)
