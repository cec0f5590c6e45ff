# SPDX-License-Identifier: Apache-2.0
"""No unit test measures time, so a busy machine fails none: Hypothesis sets no deadline."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("perfboard", deadline=None)
settings.load_profile("perfboard")

_ROOT = Path(__file__).parents[2]
_SCOPE = _ROOT / "native" / "scope"
_MODEL_PARTS = (
    *("timing.c", "timing_core.c", "timing_memory.c", "words.c", "decode_pattern.c"),
    *("cache.c", "tlb.c", "memory.c", "uart.c", "branch.c", "core.c"),
)


@pytest.fixture(scope="session")
def model_harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The parts of the scope's timing model, with sanitizers; see its source."""
    program = tmp_path_factory.mktemp("model") / "harness"
    subprocess.run(
        [
            *("gcc", "-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"),
            *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
            *("-I", str(_SCOPE), "-o", str(program)),
            str(_ROOT / "tests" / "native" / "model_harness.c"),
            *(str(_SCOPE / part) for part in _MODEL_PARTS),
        ],
        check=True,
    )
    return program
