# SPDX-License-Identifier: Apache-2.0
"""NetSurf, a browser with an engine of its own (GTK)."""

from perfboard.measures.display.applications.base import Application, Trust

# Each start is to load all of a page; the cache in memory remains. The box for searches would show
# the icon of a server, or another one where that is not reached.
_CHOICES = """\
disc_cache_size:0
toolbar_items:back/history/forward/reloadstop/url_bar/openmenu
"""

# GTK 3 knows a picture's kind by a file that Debian makes when a package is installed. The root
# file system of a virtual board has none.
_KINDS = """\
[ -e /usr/share/mime/mime.cache ] || {
    mkdir -p home/.local/share/mime &&
    cp -r /usr/share/mime/packages home/.local/share/mime &&
    update-mime-database home/.local/share/mime
} || exit 1"""

APPLICATIONS = (
    Application(
        name="netsurf",
        title="NetSurf, a browser",
        packages=("netsurf-gtk",),
        command="netsurf-gtk about:blank",
        prepare=_KINDS,
        home={".config/netsurf/Choices": _CHOICES},
        # The state, which tells how long the page took.
        masks=((0, 749, 1024, 768),),
        bars=((0, 0, 1024, 44),),
        location=("press ffe3+6c", "pause 300"),
        trust=Trust('echo "ca_bundle:$PWD/ca.crt" >> home/.config/netsurf/Choices'),
    ),
)
