# SPDX-License-Identifier: Apache-2.0
"""Our own drivers for the kernels of virtual boards: native/kernel, those that a kernel asks for.

A driver is two files named as its option is: perfboard_disk.c and perfboard_disk.Kconfig for
CONFIG_PERFBOARD_DISK; and those of ours that it includes, or whose option it selects. A kernel's
source gets those alone that its configuration has, so that what changes in another driver does not
concern it.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from perfboard.host.cache.cache import hash_file
from perfboard.host.programs.native import native_folder

_OPTION = "CONFIG_"
_OURS = f"{_OPTION}PERFBOARD_"
_SELECTED = re.compile(r"^\tselect (PERFBOARD_\w+)", re.MULTILINE)
_INCLUDED = re.compile(r'^#include "(perfboard_\w+\.[ch])"', re.MULTILINE)


def driver_files(options: Mapping[str, str]) -> tuple[Path, ...]:
    """The files of the drivers that a kernel with these options has, built in or as modules.

    Each driver's .c comes first, then its .Kconfig, then what it includes. An option of
    ours that no driver has is left to the kernel's configuration to refuse.
    """
    folder = native_folder("kernel")
    names = [
        name.removeprefix(_OPTION).lower()
        for name, value in sorted(options.items())
        if name.startswith(_OURS) and value in ("y", "m")
    ]
    paths = [path for path in (folder / f"{name}.c" for name in names) if path.is_file()]
    paths += [folder / f"{name}.c" for path in paths for name in _selected(path)]
    found: list[Path] = []
    for path in dict.fromkeys(paths):
        found += [path, path.with_suffix(".Kconfig"), *_included(path)]
    return tuple(dict.fromkeys(found))


def _selected(path: Path) -> list[str]:
    kconfig = path.with_suffix(".Kconfig").read_text()
    return [name.lower() for name in _SELECTED.findall(kconfig)]


def _included(path: Path) -> Iterator[Path]:
    for name in _INCLUDED.findall(path.read_text()):
        yield path.with_name(name)
        yield from _included(path.with_name(name))


def hash_drivers(paths: tuple[Path, ...]) -> str:
    """The names and SHA-256 sums of such files, a line each."""
    return "".join(f"{path.name} {hash_file(path)}\n" for path in paths)


def add_drivers(source: Path, paths: tuple[Path, ...]) -> None:
    """Puts such files into a kernel's source, as drivers/perfboard, instead of those there."""
    folder = source / "drivers" / "perfboard"
    if not folder.exists():
        for name, line in (
            ("Kconfig", 'source "drivers/perfboard/Kconfig"'),
            ("Makefile", "obj-y += perfboard/"),
        ):
            with (source / "drivers" / name).open("a") as file:
                file.write(f"{line}\n")
        folder.mkdir()
    kconfigs = [path for path in paths if path.suffix == ".Kconfig"]
    objects = (f"obj-$({_OPTION}{path.stem.upper()}) += {path.stem}.o\n" for path in kconfigs)
    texts = {
        "Kconfig": "".join(path.read_text() for path in kconfigs),
        "Makefile": "".join(objects),
        **{path.name: path.read_text() for path in paths if path not in kconfigs},
    }
    for old in folder.iterdir():
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        new = folder / name
        # make compiles what is newer than its object.
        if not new.exists() or new.read_text() != text:
            new.write_text(text)
