# SPDX-License-Identifier: Apache-2.0
"""The boards that tests boot: Perfboard's own, with kernels that have all that any test asks for.

So there is one kernel for all boards of an architecture, however many features tests need.
"""

import atexit
import tempfile
import tomllib
from functools import cache
from pathlib import Path

import tomli_w

from perfboard.boards.loader import load_board

from .board_files import config_of

KERNELS = Path(__file__).parents[1] / "data" / "kernels"
# The kernel fragment of Perfboard's boards, and the tests' in its place.
_FRAGMENTS = {"verdex.config": "arm.config", "x86.config": "x86.config"}


@cache
def _folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="perfboard-tests-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@cache
def rich_board(name: str) -> str:
    """The file of that board; the board's name where its own kernel has all that tests ask for."""
    loaded = load_board(name)
    fragment = _FRAGMENTS.get(config_of(loaded).name)
    if fragment is None:
        return name
    table = tomllib.loads(loaded.path.read_text())
    image = table.setdefault("image", {})
    # What a board's kernel has otherwise would make another of it.
    own = {"options"}
    kernel = loaded.board.image.kernel.model_dump(mode="json", exclude_none=True, exclude=own)
    image["kernel"] = {**kernel, "config": str(KERNELS / fragment)}
    file = _folder() / f"{name}.toml"
    file.write_text(tomli_w.dumps(table))
    return str(file)
