# SPDX-License-Identifier: Apache-2.0
"""Files of C use each other in one direction: none leads back to itself."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from .sanitized import PROBE, SCOPE

# Of a line of `nm --portability`: the symbol, and whether it is used, or defined for others.
_SYMBOL = re.compile(r"(\w+) (?:(U)|[A-TV-Z])\b")
_INCLUDE = re.compile(r'^#include "(.+)\.h"', re.MULTILINE)
Uses = Mapping[str, set[str]]


def calls(folder: Path, objects: Path) -> Uses:
    """The files of `folder` by what they define for others, by who uses it."""
    defined: dict[str, str] = {}
    wanted: dict[str, set[str]] = {}
    for source in folder.rglob("*.c"):
        name = source.relative_to(folder).with_suffix("").as_posix()
        product = objects / f"{name.replace('/', '-')}.o"
        # Without optimizing, so that every call stays a call.
        command = ["gcc", "-std=c11", "-O0", "-I.", "-I..", "-c", str(source), "-o", str(product)]
        if folder == PROBE:
            command.append("-D_GNU_SOURCE")
        subprocess.run(command, cwd=folder, check=True)
        listed = subprocess.run(
            ["nm", "--portability", product], capture_output=True, check=True, text=True
        )
        wanted[name] = set()
        for line in listed.stdout.splitlines():
            if match := _SYMBOL.match(line):
                if match[2]:
                    wanted[name].add(match[1])
                else:
                    defined[match[1]] = name
    return {
        name: {defined[symbol] for symbol in symbols if symbol in defined}
        for name, symbols in wanted.items()
    }


def includes(folder: Path) -> Uses:
    """A file and its header count as one."""
    found: dict[str, set[str]] = {}
    for path in [*folder.rglob("*.c"), *folder.rglob("*.h")]:
        name = path.relative_to(folder).with_suffix("").as_posix()
        found.setdefault(name, set()).update(_INCLUDE.findall(path.read_text()))
    return {name: used - {name} for name, used in found.items()}


def together(one: Uses, other: Uses) -> Iterator[tuple[str, set[str]]]:
    for name in {*one, *other}:
        yield name, one.get(name, set()) | other.get(name, set())


@pytest.mark.parametrize("folder", [PROBE, SCOPE], ids=["probe", "scope"])
def test_no_file_leads_back_to_itself(folder: Path, tmp_path: Path) -> None:
    called, included = calls(folder, tmp_path), includes(folder)
    assert any(called.values()) and any(included.values())
    # Raises CycleError, which names the files of one.
    TopologicalSorter(dict(together(called, included))).prepare()
