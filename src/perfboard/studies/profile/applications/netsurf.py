# SPDX-License-Identifier: Apache-2.0
"""NetSurf, a browser with an engine of its own (GTK)."""

from perfboard.studies.profile.applications.base import Application

APPLICATIONS = (
    Application(
        name="netsurf",
        title="NetSurf, a browser",
        packages=("netsurf-gtk",),
        command="netsurf-gtk about:blank",
        bars=((0, 0, 1024, 42), (0, 749, 1024, 768)),
        location="ffe3+6c",
        trust=(
            "mkdir -p home/.config/netsurf && "
            'echo "ca_bundle:$PWD/ca.crt" >> home/.config/netsurf/Choices'
        ),
    ),
)
