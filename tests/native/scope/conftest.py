# SPDX-License-Identifier: Apache-2.0
"""Programs that several tests run."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ..sanitized import SCOPE, compile_sanitized

BASE = "isa arm\nclock.hz 1000000000\ncost alu 1000 1000\n"
# A part's name, what is added to the file, the lines for it: what it printed.
Drive = Callable[[str, str, Sequence[str]], list[list[int]]]

_MODEL_PARTS: tuple[str | Path, ...] = (
    *sorted(SCOPE.glob("timing/*.c")),
    "decode/decode_pattern.c",
    *sorted(SCOPE.glob("decode/decode_x8*.c")),
    *(
        "part/branch.c",
        "memory/cache.c",
        "part/carry.c",
        "part/core.c",
        "memory/filling.c",
        "memory/loads.c",
    ),
    *("memory/memory.c", "part/state.c", "memory/tlb.c", "part/uart.c"),
)


def table(name: str, **values: object) -> str:
    """The lines of those parameters of a table, as in table("memory", buffer=4)."""
    return "".join(f"{name}.{key} {value}\n" for key, value in values.items())


@pytest.fixture(scope="session")
def model_harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The parts of the scope's timing model, with sanitizers; see its source."""
    return compile_sanitized(
        tmp_path_factory.mktemp("model") / "harness",
        SCOPE,
        Path(__file__).with_name("model_harness.c"),
        *_MODEL_PARTS,
    )


@pytest.fixture(scope="session")
def drive(model_harness: Path, tmp_path_factory: pytest.TempPathFactory) -> Drive:
    """Runs one of the model's parts."""
    path = tmp_path_factory.mktemp("drive") / "timing.txt"

    def run(part: str, items: str, lines: Sequence[str]) -> list[list[int]]:
        path.write_text(BASE + items)
        if part == "core":
            # Of most instructions, no register is one that a product is added to.
            lines = [line if len(line.split()) == 4 else f"{line} 0" for line in lines]
        said = subprocess.run(
            [model_harness, part, path],
            input="\n".join(lines),
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        return [[int(word) for word in line.split()] for line in said.splitlines()]

    return run
