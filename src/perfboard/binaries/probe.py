# SPDX-License-Identifier: Apache-2.0
"""Which binary of the probe a machine runs, and where it is."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perfboard.binaries.probe_build import (
    ARCHITECTURES,
    build,
    command,
    compiler_version,
    require_compiler,
    source_folder,
)
from perfboard.host.cache.cache import cached, hash_tree, kept_folder, own_root
from perfboard.host.cache.entries import COMPILER
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress

_PACKAGED = Path(__file__).parent / "bin"


def architecture_of(machine: str) -> str:
    """The architecture whose binary runs on what calls itself `machine`, as `uname -m` does.

    A little-endian MIPS is "mipsel", which its kernel does not tell from "mips". Raises
    EnvironmentLacksError where there is none.
    """
    for arch, machines in ARCHITECTURES.items():
        if re.fullmatch(machines.names, machine):
            return arch
    raise EnvironmentLacksError(
        f"The target's machine is {machine[:40]!r}, and there is no probe for that. There are "
        f"probes for {', '.join(ARCHITECTURES)}."
    )


def origin(arch: str) -> str:
    """The place that the probe for `arch` comes from, in words.

    Raises EnvironmentLacksError as `find_binary` does, without building.
    """
    if (_PACKAGED / f"perfboard-probe.{arch}").is_file():
        return "compiled, in the package"
    _sources(arch)
    require_compiler(arch)
    return f"compiled by ziglang {compiler_version()}"


@contextmanager
def compiler_folder(part: str, progress: Progress) -> Iterator[Path]:
    """The folder of what the compiler keeps for one part, such as its C library.

    One at a time builds in it, since two may each remove the other's new files. Builds for
    other parts do not wait, nor lose what they have when this one is killed.
    """
    folder = own_root() / COMPILER / part
    with kept_folder(folder, {"compiler": compiler_version()}, lambda: None, progress):
        yield folder


def find_binary(arch: str, progress: Progress, part: str = "probe") -> Path:
    """The probe for `arch`, or another of `PARTS`: the package's, or a checkout's, built at need.

    Raises EnvironmentLacksError where it is not there and cannot be built.
    """
    packaged = _PACKAGED / f"perfboard-{part}.{arch}"
    if packaged.is_file():
        return packaged
    sources = _sources(arch, part)

    def build_into(folder: Path) -> None:
        with (
            compiler_folder(arch, progress) as kept,
            progress.step(f"building the {part} for {arch}", 1),
        ):
            build(arch, folder / f"perfboard-{part}", kept, part)

    compiler = compiler_version()
    inputs = {
        "command": " ".join(command(arch, part)),
        "compiler": compiler,
        "sources": hash_tree(sources),
        "rows": hash_tree(source_folder("rows")),
    }
    return cached("probe", inputs, build_into, progress) / f"perfboard-{part}"


def _sources(arch: str, part: str = "probe") -> Path:
    sources = source_folder(part)
    if not sources.is_dir():
        raise EnvironmentLacksError(
            f"{_PACKAGED / f'perfboard-{part}.{arch}'} is missing, and there are no sources to "
            "build it from. Install Perfboard again from its wheel for every architecture."
        )
    return sources
