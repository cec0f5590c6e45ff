# SPDX-License-Identifier: Apache-2.0
"""A profile in a file."""

from pathlib import Path

import pytest

from tests.support.profile_runs import PROFILE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "box.toml"
    file.write_text(PROFILE)
    return file
