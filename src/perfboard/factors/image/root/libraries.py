# SPDX-License-Identifier: Apache-2.0
"""How the programs are linked."""

from perfboard.factors.base import Factor, Level, refuse, set_root
from perfboard.images.root.build import has_reference

FACTOR = Factor(
    name="libraries",
    title="How the programs are linked",
    shortens=("boot.userspace",),
    levels={
        "dynamic": Level(),
        "static": Level(set_root(libraries="static")),
        "stripped": refuse(
            "libraries=stripped: Debian's programs and libraries are stripped as they come"
        ),
        "prelinked": refuse(
            "libraries=prelinked: Debian 12 has no prelink; what that saved, the linking of "
            "programs with their libraries as they start, libraries=static saves as well"
        ),
        "musl": Level(
            set_root(libraries="musl"),
            loses="grep -z and lines with NUL bytes; regular expressions in vi's searches",
        ),
    },
    has=has_reference,
)
