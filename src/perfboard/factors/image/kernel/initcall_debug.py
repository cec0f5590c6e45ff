# SPDX-License-Identifier: Apache-2.0
"""Whether the kernel tells how long each of its initcalls takes."""

from perfboard.factors.base import Factor, Level, add_arguments

# The console must print debug messages, and the log must hold those from before there was
# a console.
_WORDS = ("initcall_debug", "loglevel=8", "log_buf_len=1M")

FACTOR = Factor(
    name="initcall_debug",
    title="The kernel's log of each initcall's time",
    levels={
        "off": Level(),
        "on": Level(
            add_arguments(*_WORDS),
            perturbs="makes the kernel print lines for every initcall and probe, which takes time "
            "of its own: these times are longer than those of a boot without it.",
            excludes={
                ("console", level): f"prints on the console what console={level} silences"
                for level in ("quiet", "off")
            },
        ),
    },
    observes=True,
)
