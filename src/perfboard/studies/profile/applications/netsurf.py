# SPDX-License-Identifier: Apache-2.0
"""NetSurf, a browser with an engine of its own (GTK)."""

from perfboard.studies.profile.applications.base import Application

APPLICATIONS = (
    Application(
        name="netsurf",
        title="NetSurf, a browser",
        packages=("netsurf-gtk",),
        command="netsurf-gtk about:blank",
        # The state, which tells how long the page took.
        masks=((0, 749, 1024, 768),),
    ),
)
