# SPDX-License-Identifier: Apache-2.0
"""The file systems, ciphers and drivers that a kernel can have besides its board's own."""

from functools import cache
from pathlib import Path

from perfboard.images.kernel.fragment import read_fragment

_FOLDER = Path(__file__).parent


@cache
def known_features() -> tuple[str, ...]:
    """The names of all features, in order."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.config")))


def feature_options(name: str) -> dict[str, str]:
    """The options of the kernel's configuration that one of `known_features` needs."""
    return read_fragment(_FOLDER / f"{name}.config")
