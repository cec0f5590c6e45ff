# SPDX-License-Identifier: Apache-2.0
"""One small program for each toolkit of Debian's: native/toolkits, and what it is built with.

The headers are from the toolkits' -dev packages, and the libraries that the program is linked with
from the packages that its target has: both are unpacked in the cache. Nothing of this machine but
its apt is needed. The compiler is the probe's.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from perfboard.binaries.probe import compiler_folder
from perfboard.binaries.probe_build import (
    ARCHITECTURES,
    compiler_version,
    require_compiler,
    run_compiler,
)
from perfboard.host.cache.cache import cached, hash_tree
from perfboard.host.programs.native import native_folder
from perfboard.host.programs.tools import require_tools
from perfboard.images.packages.apt import AptState
from perfboard.model.board.architecture import ARCHITECTURES as FAMILIES
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress

PROGRAM = "perfboard-toolkit"


@dataclass(frozen=True)
class Toolkit:
    """A toolkit, and how our program for it is built.

    `sources` are files of native/toolkits. `headers` are packages, and `include` the folders below
    their usr/ that the compiler looks in; "{multiarch}" is Debian's folder of the architecture.
    `libraries` are files by their packages, which a target needs.
    """

    title: str
    sources: tuple[str, ...]
    headers: tuple[str, ...]
    libraries: Mapping[str, tuple[str, ...]]
    include: tuple[str, ...] = ()

    @property
    def needed(self) -> tuple[str, ...]:
        """The packages that a target needs."""
        return tuple(dict.fromkeys((*self.libraries, *_LIBRARIES)))


_HEADERS = ("libx11-dev", "x11proto-dev", "libxcb1-dev")
_INCLUDE = ("include", "include/{multiarch}")
_LIBRARIES = {"libxcb1": ("libxcb.so.1",)}
_GNOME = (
    *("libglib2.0-dev", "libpango1.0-dev", "libcairo2-dev", "libgdk-pixbuf-2.0-dev"),
    *("libatk1.0-dev", "libharfbuzz-dev"),
)
_GNOME_INCLUDE = (
    *("include/glib-2.0", "lib/{multiarch}/glib-2.0/include", "include/pango-1.0"),
    *("include/cairo", "include/gdk-pixbuf-2.0", "include/atk-1.0", "include/harfbuzz"),
)
_EFL = (
    *("elementary", "evas", "edje", "eina", "eo", "efl", "eet", "emile", "ecore", "ecore-con"),
    *("ecore-evas", "ecore-file", "ecore-imf", "ecore-imf-evas", "ecore-input"),
    *("ecore-input-evas", "ecore-ipc", "ecore-x", "efreet", "eio", "eldbus", "emotion"),
    *("ethumb", "ethumb-client"),
)

TOOLKITS = {
    "xaw": Toolkit(
        title="Xaw, the Athena widgets",
        sources=("xaw.c", "xt.c"),
        headers=("libxaw7-dev", "libxt-dev", "libxmu-headers", "libsm-dev", "libice-dev"),
        libraries={
            "libxaw7": ("libXaw.so.7",),
            "libxt6": ("libXt.so.6",),
            "libx11-6": ("libX11.so.6",),
        },
    ),
    "motif": Toolkit(
        title="Motif 2.3",
        sources=("motif.c", "xt.c"),
        headers=("libmotif-dev", "libxt-dev", "libsm-dev", "libice-dev"),
        libraries={
            "libxm4": ("libXm.so.4",),
            "libxt6": ("libXt.so.6",),
            "libx11-6": ("libX11.so.6",),
        },
    ),
    "fltk": Toolkit(
        title="FLTK 1.3",
        sources=("fltk.cc",),
        headers=("libfltk1.3-dev",),
        libraries={
            "libfltk1.3": ("libfltk.so.1.3",),
            "libx11-6": ("libX11.so.6",),
            "libstdc++6": ("libstdc++.so.6",),
        },
    ),
    "tk": Toolkit(
        title="Tk 8.6",
        sources=("tk.c",),
        headers=("tk8.6-dev", "tcl8.6-dev"),
        include=("include/tcl8.6",),
        libraries={
            "libtk8.6": ("libtk8.6.so",),
            "libtcl8.6": ("libtcl8.6.so",),
            "libx11-6": ("libX11.so.6",),
        },
    ),
    "sdl2": Toolkit(
        title="SDL 2",
        sources=("sdl2.c",),
        headers=("libsdl2-dev",),
        include=("include/SDL2",),
        libraries={"libsdl2-2.0-0": ("libSDL2-2.0.so.0",), "libx11-6": ("libX11.so.6",)},
    ),
    "efl": Toolkit(
        title="EFL 1.26",
        sources=("efl.c",),
        headers=("libefl-all-dev",),
        include=("include/eina-1/eina", *(f"include/{folder}-1" for folder in _EFL)),
        libraries={
            "libelementary1": ("libelementary.so.1",),
            "libevas1": ("libevas.so.1",),
            "libecore1": ("libecore.so.1",),
            "libecore-x1": ("libecore_x.so.1",),
            "libecore-input1": ("libecore_input.so.1",),
            "libefreet1a": ("libefreet.so.1",),
            "libeina1a": ("libeina.so.1", "libeo.so.1"),
        },
    ),
    "gtk2": Toolkit(
        title="GTK 2",
        sources=("gtk.c",),
        headers=("libgtk2.0-dev", *_GNOME),
        include=("include/gtk-2.0", "lib/{multiarch}/gtk-2.0/include", *_GNOME_INCLUDE),
        libraries={
            "libgtk2.0-0": ("libgtk-x11-2.0.so.0", "libgdk-x11-2.0.so.0"),
            "libglib2.0-0": ("libgobject-2.0.so.0", "libglib-2.0.so.0"),
        },
    ),
    "gtk3": Toolkit(
        title="GTK 3",
        sources=("gtk.c",),
        headers=("libgtk-3-dev", *_GNOME),
        include=("include/gtk-3.0", *_GNOME_INCLUDE),
        libraries={
            "libgtk-3-0": ("libgtk-3.so.0", "libgdk-3.so.0"),
            "libglib2.0-0": ("libgobject-2.0.so.0", "libglib-2.0.so.0"),
        },
    ),
    "gtk4": Toolkit(
        title="GTK 4",
        sources=("gtk4.c",),
        headers=("libgtk-4-dev", "libgraphene-1.0-dev", *_GNOME),
        include=(
            *("include/gtk-4.0", "include/graphene-1.0", "lib/{multiarch}/graphene-1.0/include"),
            *_GNOME_INCLUDE,
        ),
        libraries={
            "libgtk-4-1": ("libgtk-4.so.1",),
            "libglib2.0-0": ("libgobject-2.0.so.0", "libglib-2.0.so.0"),
        },
    ),
    "qt5": Toolkit(
        title="Qt 5",
        sources=("qt.cc",),
        headers=("qtbase5-dev", "libqt5x11extras5-dev"),
        include=tuple(
            f"include/{{multiarch}}/qt5{below}"
            for below in ("", "/QtCore", "/QtGui", "/QtWidgets", "/QtX11Extras")
        ),
        libraries={
            "libqt5widgets5": ("libQt5Widgets.so.5",),
            "libqt5gui5": ("libQt5Gui.so.5",),
            "libqt5core5a": ("libQt5Core.so.5",),
            "libqt5x11extras5": ("libQt5X11Extras.so.5",),
            "libstdc++6": ("libstdc++.so.6",),
        },
    ),
    "qt6": Toolkit(
        title="Qt 6",
        sources=("qt.cc",),
        headers=("qt6-base-dev",),
        include=tuple(
            f"include/{{multiarch}}/qt6{below}" for below in ("", "/QtCore", "/QtGui", "/QtWidgets")
        ),
        libraries={
            "libqt6widgets6": ("libQt6Widgets.so.6",),
            "libqt6gui6": ("libQt6Gui.so.6",),
            "libqt6core6": ("libQt6Core.so.6",),
            "libstdc++6": ("libstdc++.so.6",),
        },
    ),
}

_C = ("-std=c11", "-D_GNU_SOURCE")
# Debian's toolkits are of the GNU C++ library, whose types our programs do not use.
_CXX = ("-std=c++17", "-D_GNU_SOURCE", "-fno-exceptions", "-fno-rtti")
_FLAGS = ("-Os", "-Wall", "-Wextra", "-Werror", "-s", "-Wl,--allow-shlib-undefined", "-I.", "-I..")
_COMMON = ("main.c", "server.c", "../rows/row.c")
# For a probe's architecture: Debian's name, the compiler's target, and Debian's folder.
_DEBIAN = {
    "x86_64": ("amd64", "x86_64-linux-gnu", "x86_64-linux-gnu"),
    **{
        probe: (arch.name, arch.linked, arch.multiarch)
        for arch in FAMILIES
        for probe in arch.probes
    },
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
    machine = ("-target", target, f"-mcpu={ARCHITECTURES[arch].processor}")
    inputs = {
        "toolkit": repr(toolkit),
        "packages": repr([asdict(package) for package in packages]),
        "compiler": compiler_version(),
        "command": " ".join((*machine, *_C, *_CXX, *_FLAGS)),
        "sources": hash_tree(sources),
        "rows": hash_tree(native_folder("rows")),
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
        objects: list[Path] = []
        with (
            compiler_folder(target, progress) as kept,
            progress.step(f"building the program of {toolkit.title} for {arch}", 1),
        ):
            for source in (*_COMMON, *toolkit.sources):
                plus = source.endswith(".cc")
                flags = (*(_CXX if plus else _C), *_FLAGS, *words)
                objects.append(folder / f"{Path(source).name}.o")
                compiler = "c++" if plus else "cc"
                line = ["ziglang", compiler, *machine, *flags, "-c", source]
                run_compiler("native/toolkits", line, objects[-1], sources, kept)
            line = ["ziglang", "cc", *machine, "-s", "-Wl,--allow-shlib-undefined"]
            line += [*map(str, objects), *found]
            run_compiler("native/toolkits", line, folder / PROGRAM, sources, kept)
        for file in objects:
            file.unlink()

    return cached("toolkit", inputs, build, progress) / PROGRAM


def _library(package: Path, multiarch: str, file: str) -> str:
    """The file of an unpacked package. Debian's packages have either form of the folder."""
    places = [package / below / multiarch / file for below in ("usr/lib", "lib")]
    for place in places:
        if place.exists():
            return str(place)
    raise EnvironmentLacksError(f"{places[0]}: the package has no {file}")
