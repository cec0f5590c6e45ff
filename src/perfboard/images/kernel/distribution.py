# SPDX-License-Identifier: Apache-2.0
"""The options of Debian's own kernel that any program pays for."""

import lzma
import re
from pathlib import Path

from perfboard.images.packages.apt import AptState
from perfboard.images.recipe import Recipe
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.timing.part import Timing

_TOPICS = Path(__file__).with_name("distribution.txt")
_MOST_BYTES = 1 << 20
_LINE = re.compile(r'(CONFIG_(\w+))=(y|-?\d+|0x[0-9a-fA-F]+|"[\w .,:/+=@-]*")', re.ASCII)
_UNSET = re.compile(r"# (CONFIG_(\w+)) is not set", re.ASCII)
# With one processor Debian's kernel for Arm patches out what several need (CONFIG_SMP_ON_UP); the
# emulated processor does not ask it to.
_OF_ONE_CORE = {"CONFIG_SMP": "n"}


def distribution_options(recipe: Recipe, packages: AptState, source: str) -> dict[str, str]:
    """The options that `source`, a linux-source package, has in Debian's kernel, if asked for.

    They are those of entry, scheduling, memory, security and tracing, by the patterns of
    distribution.txt; the package linux-config of the same version has them. Those of the
    board's `timing.distribution` are put over them. None for a recipe without
    `distribution`. Raises EnvironmentLacksError where Debian has no such
    configuration.
    """
    if not recipe.distribution:
        return {}
    arch, timing = recipe.board.machine.architecture, recipe.board.timing
    name = source.replace("linux-source-", "linux-config-", 1)
    file = packages.unpack(name) / "usr" / "src" / name / f"config.{arch.distribution}.xz"
    try:
        with lzma.open(file) as stream:
            text = stream.read(_MOST_BYTES).decode()
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        what = f"package {name} has no readable {file.name}: {error}"
        raise EnvironmentLacksError(what) from None
    return options_of(text, timing)


def options_of(config: str, timing: Timing | None) -> dict[str, str]:
    """Those of Debian's .config, and over them what the board's own distribution has otherwise."""
    if timing is None:
        return chosen(config)
    theirs = timing.distribution.options if timing.distribution else {}
    return chosen(config) | (_OF_ONE_CORE if timing.core.cores == 1 else {}) | theirs


def chosen(config: str) -> dict[str, str]:
    """The options of a .config that distribution.txt names; "n" stands for "is not set".

    Modules are left out: they cost who loads them.
    """
    lines = (line.strip() for line in _TOPICS.read_text().splitlines())
    topics = re.compile("|".join(line for line in lines if line and not line.startswith("#")))
    options = {}
    for line in config.splitlines():
        if (match := _LINE.fullmatch(line)) and topics.fullmatch(match[2]):
            options[match[1]] = match[3]
        elif (match := _UNSET.fullmatch(line)) and topics.fullmatch(match[2]):
            options[match[1]] = "n"
    # A choice names no member that it cannot have: not this one with Debian's SLUB_DEBUG.
    if "CONFIG_UNWINDER_FRAME_POINTER=y" in config.splitlines():
        options["CONFIG_UNWINDER_GUESS"] = "n"
    return options
