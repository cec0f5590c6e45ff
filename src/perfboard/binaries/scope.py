# SPDX-License-Identifier: Apache-2.0
"""The scope's plugin for the emulator, compiled at first use."""

import subprocess
from pathlib import Path

from perfboard.host.cache import cached, hash_tree
from perfboard.host.native import native_folder
from perfboard.host.tools import require_tools
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress

# The parts of the model lie in files of their own: calls between them are dear without -flto.
_COMPILE = (
    *("gcc", "-std=c11", "-O2", "-flto", "-Wall", "-Wextra", "-Werror"),
    *("-fvisibility=hidden", "-shared", "-fPIC", "-I."),
)


def build_plugin(progress: Progress) -> Path:
    """The plugin, compiled with this machine's compiler at first use and cached."""
    require_tools(["scope"])
    folder = native_folder("scope")
    sources = sorted(folder.rglob("*.c"))

    def compile_into(product: Path) -> None:
        command = [*_COMPILE, "-o", str(product / "scope.so"), *map(str, sources)]
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as error:
            raise EnvironmentLacksError(
                f"The scope does not compile here:\n{error.stderr.strip()}"
            ) from None

    inputs = {"command": " ".join(_COMPILE), "sources": hash_tree(folder)}
    return cached("scope", inputs, compile_into, progress) / "scope.so"
