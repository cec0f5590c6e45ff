# SPDX-License-Identifier: Apache-2.0
"""The versions of the emulator's plugin interface that one scope serves."""

import subprocess
from pathlib import Path

import pytest

from ..sanitized import SCOPE, compile_sanitized

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("version", "addresses"), [(1, ""), *((n, ", with addresses") for n in (2, 3, 4))]
)
def test_the_scope_is_of_the_version_that_the_emulator_has(
    tmp_path: Path, version: int, addresses: str
) -> None:
    harness = compile_sanitized(
        tmp_path / "harness",
        SCOPE,
        *("-rdynamic", f"-DVERSION={version}"),
        HERE / "interface_harness.c",
        "emulator/interface.c",
    )
    done = subprocess.run([harness], capture_output=True, check=True, text=True)
    assert done.stdout.splitlines() == [
        f"version {version}{addresses}",
        "2 bytes, 1 to 2",
        "16 bytes, 9 to 8",
    ]
