# SPDX-License-Identifier: Apache-2.0
"""Compiles C of the project for this machine, with sanitizers."""

import subprocess
from pathlib import Path


def compile_sanitized(program: Path, headers: Path, *words: str | Path) -> Path:
    """`program`, made of `words`: sources and more options; `headers` is where its headers are."""
    command = [
        *("gcc", "-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"),
        *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
        *("-I", headers, "-o", program, *words),
    ]
    subprocess.run(command, check=True)
    return program
