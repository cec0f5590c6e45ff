# SPDX-License-Identifier: Apache-2.0
"""Programs that are linked with musl, another C library: their compiler, and BusyBox.

Debian has musl for each architecture, and no programs that are linked with it. Its package brings
GCC's specs for it, with the paths of a machine where it is installed.
"""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from perfboard.host.cache.cache import cached, hash_file
from perfboard.host.programs.command import failure, follow, version_of
from perfboard.images.kbuild import VARIABLES, jobs, show_compiled
from perfboard.images.packages.apt import AptState
from perfboard.images.packages.apt_source import SourceState
from perfboard.images.root.recipe import MUSL_PACKAGES
from perfboard.model.board.architecture import Architecture
from perfboard.model.progress import Progress

# These need GNU's own regular expressions, which musl lacks.
LEFT_OUT = ("CONFIG_EXTRA_COMPAT", "CONFIG_FEATURE_VI_REGEX_SEARCH")
# Which functions of BusyBox a boot uses, as it uses them first.
ORDER = Path(__file__).with_name("busybox.ld")
_SOURCE = "busybox"
_VARIABLES = {**VARIABLES, "KCONFIG_NOTIMESTAMP": "1"}
# Raise it when the steps below change what comes out.
_RECIPE = "1"


def write_specs(arch: Architecture, packages: AptState, folder: Path) -> Path:
    """Writes to `folder` what GCC's `-specs` uses musl by, from the unpacked packages."""
    library, headers = (packages.unpack(name) / "usr" for name in MUSL_PACKAGES)
    (given,) = library.glob("lib/*/musl-gcc.specs")
    includes = f"-isystem {headers}/include -isystem {headers}/include/{arch.multiarch}"
    text = re.sub(r"(?<=[ L])/usr(?=/)", str(library), given.read_text())
    path = folder / given.name
    path.write_text(text.replace("-isystem include%s", f"-isystem include%s {includes}"))
    return path


def build_busybox(
    arch: Architecture, packages: AptState, ordered: bool, progress: Progress
) -> Path:
    """A folder with bin/busybox, linked with musl alone, built where absent.

    It is of Debian's source by Debian's configuration for busybox-static, without what musl
    cannot do (`LEFT_OUT`); where `ordered`, the functions that a boot uses come first (`ORDER`).
    Next to it are busybox_unstripped and the linker's map of that. Raises EnvironmentLacksError
    where a package cannot be had, and otherwise as `command.failure` says.
    """
    sources = SourceState(progress)
    parts = [sources.resolve(_SOURCE), *(packages.resolve(name) for name in MUSL_PACKAGES)]
    inputs = {
        "recipe": _RECIPE,
        "order": hash_file(ORDER) if ordered else "",
        "left out": " ".join(LEFT_OUT),
        "variables": json.dumps(_VARIABLES),
        "compiler": version_of(f"{arch.triplet}-gcc"),
        **{part.name: f"{part.version} {part.sha256}" for part in parts},
    }

    def build(folder: Path) -> None:
        (source,) = (path for path in sources.unpack(_SOURCE).iterdir() if path.is_dir())
        tree = folder / "tree"
        shutil.copytree(source, tree, symlinks=True)
        configuration = (tree / "debian/config/pkg/static").read_text()
        for option in LEFT_OUT:
            configuration = configuration.replace(f"{option}=y", f"# {option} is not set")
        (tree / ".config").write_text(configuration)
        words = [f"CC={arch.triplet}-gcc -specs={write_specs(arch, packages, folder)}"]
        words += [f"CONFIG_EXTRA_LDFLAGS=-Wl,-T,{ORDER}"] if ordered else []
        _make([f"CROSS_COMPILE={arch.triplet}-", *words], tree, progress)
        (folder / "bin").mkdir()
        (tree / "busybox").rename(folder / "bin/busybox")
        for name in ("busybox_unstripped", "busybox_unstripped.map"):
            (tree / name).rename(folder / name)
        shutil.rmtree(tree)

    return cached("musl-busybox", inputs, build, progress)


def _make(words: Sequence[str], tree: Path, progress: Progress) -> None:
    # Some of these files no configuration has: the step ends a little before its end.
    count = sum(1 for path in tree.rglob("*.c") if "scripts" not in path.parts)
    make = ["make", *words]
    with progress.step("building BusyBox with musl", count) as step:
        shown = show_compiled(step, count)
        for command in ([*make, "oldconfig"], [*make, f"--jobs={jobs()}", "busybox"]):
            outcome = follow(command, shown, folder=tree, variables=_VARIABLES)
            if outcome.code:
                raise failure("building BusyBox with musl failed", outcome, tree)
