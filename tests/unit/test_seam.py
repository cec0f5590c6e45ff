# SPDX-License-Identifier: Apache-2.0
"""One module knows how a target is written."""

import re
from pathlib import Path

import perfboard

SOURCES = Path(perfboard.__file__).parent
# The text of a virtual board's target: all others ask, or have it made.
_ROOMS = ("bench", "measures", "studies", "cli", "report", "history", "analysis", "model")
ASKS = re.compile(r"""["']virtual:""")


def test_one_module_knows_how_a_virtual_boards_target_is_written() -> None:
    rooms = (SOURCES / room for room in _ROOMS)
    files = [path for room in rooms for path in room.rglob("*.py")]
    assert len(files) > 100
    asking = {str(path.relative_to(SOURCES)) for path in files if ASKS.search(path.read_text())}
    assert asking == {"model/target.py"}
