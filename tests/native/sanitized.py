# SPDX-License-Identifier: Apache-2.0
"""Compiles C of the project for this machine, with sanitizers."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROBE = ROOT / "native" / "probe"
SCOPE = ROOT / "native" / "scope"


def compile_sanitized(program: Path, folder: Path, *words: str | Path) -> Path:
    """`program`, made of `words`: more options, and sources by their whole path or in `folder`."""
    command = [
        *("gcc", "-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"),
        *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
        *("-I.", "-o", program, *words),
    ]
    subprocess.run(command, cwd=folder, check=True)
    return program
