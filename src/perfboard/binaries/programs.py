# SPDX-License-Identifier: Apache-2.0
"""Programs of ours that do what published ones do, compiled for a board's part."""

from pathlib import Path

from perfboard.host.cache.cache import cached, hash_file
from perfboard.host.programs.children import run
from perfboard.host.programs.command import version_of
from perfboard.host.programs.native import native_folder
from perfboard.host.programs.tools import require_tools
from perfboard.model.board.architecture import Architecture
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress
from perfboard.model.published import OwnProgram


def own_program(wanted: OwnProgram, arch: Architecture, progress: Progress) -> Path:
    """The program, compiled at first use by the compiler of the board's kernel, and cached.

    It is linked with the C library of the board's Debian packages. Raises EnvironmentLacksError
    where the compiler is missing or refuses it.
    """
    require_tools({"kernel", "root"}, arch.name)
    source = native_folder("programs") / f"{wanted.name}.c"
    compiler = f"{arch.triplet}-gcc"
    command = [compiler, "-std=c11", "-D_GNU_SOURCE", *wanted.flags]

    def build(folder: Path) -> None:
        done = run([*command, "-o", str(folder / wanted.name), str(source)])
        if done.returncode:
            raise EnvironmentLacksError(
                f"{source.name} does not compile here:\n{done.stderr.strip()[-4000:]}"
            )

    inputs = {
        "command": " ".join(command),
        "compiler": version_of(compiler),
        "source": hash_file(source),
    }
    return cached("program", inputs, build, progress) / wanted.name
