# SPDX-License-Identifier: Apache-2.0
"""Programs that several tests run."""

from pathlib import Path

import pytest

from .sanitized import compile_sanitized

_ROOT = Path(__file__).parents[2]
_SCOPE = _ROOT / "native" / "scope"
_MODEL_PARTS = (
    *("timing.c", "timing_core.c", "timing_memory.c", "words.c", "decode_pattern.c"),
    *("cache.c", "tlb.c", "memory.c", "uart.c", "branch.c", "core.c", "filling.c", "loads.c"),
)


@pytest.fixture(scope="session")
def model_harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The parts of the scope's timing model, with sanitizers; see its source."""
    return compile_sanitized(
        tmp_path_factory.mktemp("model") / "harness",
        _SCOPE,
        _ROOT / "tests" / "native" / "model_harness.c",
        *(_SCOPE / part for part in _MODEL_PARTS),
    )
