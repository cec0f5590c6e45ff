# SPDX-License-Identifier: Apache-2.0
"""How much the kernel prints on the console while it boots."""

from perfboard.factors.base import Factor, Level, add_arguments

FACTOR = Factor(
    name="console",
    title="The kernel's messages while it boots",
    levels={
        "full": Level(),
        # The kernel's log has all of them still.
        "quiet": Level(add_arguments("quiet")),
        "off": Level(
            add_arguments("loglevel=0"),
            loses="what the kernel says of errors while it boots, on the console alone",
        ),
    },
)
