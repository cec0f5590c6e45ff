# SPDX-License-Identifier: Apache-2.0
"""One small program for each toolkit of Debian's: native/toolkits, and what it is built with.

The headers are from the toolkits' -dev packages, and the libraries that the program is linked with
from the packages that its target has: both are unpacked in the cache. Nothing of this machine but
its apt is needed. The compiler is the probe's.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from perfboard.binaries.probe import compiler_folder
from perfboard.binaries.probe_build import ARCHITECTURES, compiler_version, require_compiler
from perfboard.host.cache import cached, hash_tree
from perfboard.host.native import native_folder
from perfboard.host.tools import require_tools
from perfboard.images.packages.apt import AptState
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress

PROGRAM = "perfboard-toolkit"


@dataclass(frozen=True)
class Toolkit:
    """A toolkit, and how our program for it is built.

    `source` is a file of native/toolkits. `headers` are packages, and `include` the folders below
    their usr/ that the compiler looks in; "{multiarch}" is Debian's folder of the architecture.
    `libraries` are files by their packages, which a target needs as well as those of `packages`.
    """

    title: str
    source: str
    headers: tuple[str, ...]
    libraries: Mapping[str, tuple[str, ...]]
    include: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    flags: tuple[str, ...] = field(default=())

    @property
    def needed(self) -> tuple[str, ...]:
        """The packages that a target needs."""
        return tuple(dict.fromkeys((*self.libraries, *_LIBRARIES, *self.packages)))


_HEADERS = ("libx11-dev", "x11proto-dev", "libxcb1-dev")
_INCLUDE = ("include", "include/{multiarch}")
_LIBRARIES = {"libxcb1": ("libxcb.so.1",)}

TOOLKITS = {
    "xaw": Toolkit(
        title="Xaw, the Athena widgets",
        source="xaw.c",
        headers=("libxaw7-dev", "libxt-dev", "libxmu-headers", "libsm-dev", "libice-dev"),
        libraries={
            "libxaw7": ("libXaw.so.7",),
            "libxt6": ("libXt.so.6",),
            "libx11-6": ("libX11.so.6",),
        },
    ),
    "fltk": Toolkit(
        title="FLTK 1.3",
        source="fltk.cc",
        headers=("libfltk1.3-dev",),
        libraries={
            "libfltk1.3": ("libfltk.so.1.3",),
            "libx11-6": ("libX11.so.6",),
            "libstdc++6": ("libstdc++.so.6",),
        },
    ),
}

_C = ("-std=c11", "-D_GNU_SOURCE")
# Debian's toolkits are of the GNU C++ library, whose types our programs do not use.
_CXX = ("-std=c++17", "-D_GNU_SOURCE", "-fno-exceptions", "-fno-rtti")
_FLAGS = ("-Os", "-Wall", "-Wextra", "-Werror", "-s", "-Wl,--allow-shlib-undefined", "-I.")
_COMMON = ("main.c", "server.c")
# For a probe's architecture: Debian's name, the compiler's target, and Debian's folder.
_DEBIAN = {
    "x86_64": ("amd64", "x86_64-linux-gnu", "x86_64-linux-gnu"),
    "aarch64": ("arm64", "aarch64-linux-gnu", "aarch64-linux-gnu"),
    "armv7": ("armhf", "arm-linux-gnueabihf", "arm-linux-gnueabihf"),
    "i686": ("i386", "x86-linux-gnu", "i386-linux-gnu"),
    # Debian's libraries are for the i686 there too.
    "i486": ("i386", "x86-linux-gnu", "i386-linux-gnu"),
}


def build_toolkit(name: str, arch: str, progress: Progress) -> Path:
    """The program of one of `TOOLKITS` for a probe's architecture, built at first use, and cached.

    Raises EnvironmentLacksError where a package or the compiler cannot be had.
    """
    if arch not in _DEBIAN:
        raise EnvironmentLacksError(
            f"Debian's libraries are not for {arch}; there are programs of the toolkits for "
            f"{', '.join(_DEBIAN)}"
        )
    require_compiler(arch)
    require_tools({"packages"})
    toolkit, sources = TOOLKITS[name], native_folder("toolkits")
    debian, target, multiarch = _DEBIAN[arch]
    apt = AptState(debian, progress)
    headers, libraries = (*toolkit.headers, *_HEADERS), {**_LIBRARIES, **toolkit.libraries}
    packages = [apt.resolve(package) for package in (*headers, *libraries)]
    machine = ("-target", target, f"-mcpu={ARCHITECTURES[arch][1]}")
    inputs = {
        "toolkit": repr(toolkit),
        "packages": repr([asdict(package) for package in packages]),
        "compiler": compiler_version(),
        "command": " ".join((*machine, *_C, *_CXX, *_FLAGS)),
        "sources": hash_tree(sources),
    }

    def build(folder: Path) -> None:
        words = [
            f"-isystem{apt.unpack(package) / 'usr' / place.format(multiarch=multiarch)}"
            for package in headers
            for place in (*_INCLUDE, *toolkit.include)
        ]
        found = [
            _library(apt.unpack(package), multiarch, file)
            for package, files in libraries.items()
            for file in files
        ]
        objects = []
        with (
            compiler_folder(target, progress) as kept,
            progress.step(f"building the program of {toolkit.title} for {arch}", 4) as step,
        ):
            for number, source in enumerate((*_COMMON, toolkit.source)):
                plus = source.endswith(".cc")
                flags = (*(_CXX if plus else _C), *_FLAGS, *toolkit.flags, *words)
                objects.append(str(folder / f"{source}.o"))
                compiler = "c++" if plus else "cc"
                _run([compiler, *machine, *flags, "-c", source, "-o", objects[-1]], sources, kept)
                step.update(number + 1)
            link = ["cc", *machine, "-s", "-Wl,--allow-shlib-undefined", *objects, *found]
            _run([*link, "-o", str(folder / PROGRAM)], sources, kept)
        for file in objects:
            Path(file).unlink()

    return cached("toolkit", inputs, build, progress) / PROGRAM


def _library(package: Path, multiarch: str, file: str) -> str:
    """The file of an unpacked package. Debian's packages have either form of the folder."""
    places = [package / below / multiarch / file for below in ("usr/lib", "lib")]
    for place in places:
        if place.exists():
            return str(place)
    raise EnvironmentLacksError(f"{places[0]}: the package has no {file}")


def _run(words: list[str], folder: Path, kept: Path) -> None:
    folders = {"ZIG_GLOBAL_CACHE_DIR": str(kept), "ZIG_LOCAL_CACHE_DIR": str(kept)}
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", *words],
        cwd=folder,
        env={**os.environ, **folders},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise EnvironmentLacksError(
            f"native/toolkits does not compile here:\n{done.stderr.strip()[-4000:]}"
        )
