# SPDX-License-Identifier: Apache-2.0
"""Which objects each option of a kernel's configuration brings, by the kernel's own makefiles."""

import os
import posixpath
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from perfboard.host.programs.children import run
from perfboard.images.kbuild import jobs
from perfboard.images.kernel.build import make_command, make_variables
from perfboard.images.kernel.tree import SOURCE
from perfboard.model.board.architecture import Architecture
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress

_NAME = re.compile(r"CONFIG_\w+", re.ASCII)
_ON = re.compile(r"^(CONFIG_\w+)=y$", re.ASCII | re.MULTILINE)
_GOAL = "perfboard-parts"
# The objects and folders of a folder: Linux 6.1, scripts/Makefile.lib.
_PARTS = "@echo $(real-obj-y) $(lib-y) $(addsuffix /,$(subdir-ym))"
# Variables that make sets for a make that it starts.
_MAKES_OWN = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL")


def enabled(config: str) -> frozenset[str]:
    """The options that `config`, the text of a .config, has built in."""
    return frozenset(_ON.findall(config))


def folder_variables(arch: Architecture, objects: Path) -> dict[str, str]:
    """The environment that the makefile of a configured kernel gives those of its folders.

    Raises EnvironmentLacksError where make fails.
    """
    command = [*make_command(arch), f"--eval={_GOAL}: ; @env -0", _GOAL]
    output = run_in(objects, command, make_variables(arch))
    variables = dict(item.split("=", 1) for item in output.split("\0") if "=" in item)
    return {name: value for name, value in variables.items() if name not in _MAKES_OWN}


def brought_objects(
    at: Path, variables: Mapping[str, str], progress: Progress
) -> dict[str, frozenset[str]]:
    """The objects, as paths in a kernel's folder of them, that depend on each option of .config.

    make reads the makefile of each folder as the kernel's build does, and once more for each option
    that is named in it, with that option off: the missing objects are the option's, and all of a
    missing folder. Objects that another option brings as well belong to neither. `variables` are
    from `folder_variables`. Raises EnvironmentLacksError where make fails.
    """
    options = enabled((at / ".config").read_text())
    folders: dict[str, frozenset[str]] = {}
    missing: dict[str, set[str]] = {}
    waiting = ["."]
    total = sum(1 for _ in at.rglob("built-in.a"))
    with (
        progress.step("asking the kernel's makefiles", total) as step,
        ThreadPoolExecutor(jobs()) as pool,
    ):
        while waiting:
            folder = waiting.pop()
            step.update(min(len(folders), total), folder)
            parts = folders[folder] = _parts(at, variables, folder)
            waiting += [part.rstrip("/") for part in parts if part.endswith("/")]
            named = sorted(options.intersection(_NAME.findall(_makefile(at / SOURCE / folder))))
            without = pool.map(partial(_parts, at, variables, folder), named)
            for option, others in zip(named, without, strict=True):
                missing.setdefault(option, set()).update(parts - others)

    def objects(parts: frozenset[str] | set[str]) -> frozenset[str]:
        found = {part for part in parts if not part.endswith("/")}
        inside = (objects(folders[part.rstrip("/")]) for part in parts if part.endswith("/"))
        return frozenset(found.union(*inside))

    return {option: objects(parts) for option, parts in missing.items() if parts}


def _makefile(folder: Path) -> str:
    file = folder / "Kbuild"
    return (file if file.is_file() else folder / "Makefile").read_text()


def _parts(
    at: Path, variables: Mapping[str, str], folder: str, without: str = ""
) -> frozenset[str]:
    """The objects of a folder, and the folders in it with a slash at the end."""
    command = ["make", "--no-builtin-rules", "--no-builtin-variables", "--no-print-directory"]
    command += [f"--file={SOURCE}/scripts/Makefile.build", f"obj={folder}"]
    command += [f"--eval={_GOAL}: ; {_PARTS}"]
    command += [f"{without}="] if without else []
    words = run_in(at, [*command, _GOAL], variables).split()
    return frozenset(posixpath.normpath(word) + "/" * word.endswith("/") for word in words)


def run_in(objects: Path, command: list[str], variables: Mapping[str, str]) -> str:
    """The output of a command of a kernel's build, run at its objects with these variables too.

    Raises EnvironmentLacksError where it fails.
    """
    done = run(command, folder=objects, environment={**os.environ, **variables})
    if done.returncode:
        raise EnvironmentLacksError(
            f"{' '.join(command)} failed at the kernel's objects:\n{done.stderr[-1000:]}"
        )
    return done.stdout
