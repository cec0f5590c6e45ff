# SPDX-License-Identifier: Apache-2.0
"""Environments of Python for packages that cannot share ours, made by pip in the cache."""

import re
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path

from perfboard.host.cache.cache import cached
from perfboard.host.programs.command import failure, follow, run_tool
from perfboard.model.errors import BuildError, EnvironmentLacksError
from perfboard.model.progress import Progress

# Without its own cache, pip writes nothing to the user's folders; and wheels run no code.
_INSTALL = (
    *("-m", "pip", "install", "--no-cache-dir", "--no-input", "--disable-pip-version-check"),
    *("--only-binary", ":all:", "--progress-bar", "off"),
)
_STEPS = re.compile(r"\s*((?:Collecting|Installing collected packages)\S*.{0,60})")


def environment_python(requirement: str, progress: Progress) -> Path:
    """The Python of an environment that has `requirement`, as "labgrid>=25,<27".

    It is made when it is first asked for. Raises EnvironmentLacksError where that cannot be done,
    as without a network.
    """

    def build(product: Path) -> None:
        with progress.step(f"installing {requirement} in an environment of its own", inf) as step:
            step.update(0, "making the environment")
            _make(product)
            found = 0

            def saw(line: str) -> bool:
                nonlocal found
                if step_line := _STEPS.match(line):
                    found += 1
                    step.update(found, step_line[1])
                return False

            _install(product, requirement, saw)

    inputs = {"requirement": requirement, "python": sys.version}
    return cached("python", inputs, build, progress) / "bin/python"


def _make(product: Path) -> None:
    try:
        run_tool([sys.executable, "-m", "venv", str(product)], product)
    except BuildError as error:
        raise EnvironmentLacksError(
            "this machine cannot make an environment of Python; on Debian: sudo apt-get install "
            f"python3-venv\n{error}"
        ) from error


def _install(product: Path, requirement: str, saw: Callable[[str], bool]) -> None:
    words = (str(product / "bin/python"), *_INSTALL, requirement)
    outcome = follow(words, saw, folder=product)
    if outcome.code:
        error = failure(f"pip cannot install {requirement}", outcome, product)
        raise EnvironmentLacksError(
            f"{error}\nIs there a network? pip's own configuration says which index it asks."
        )
