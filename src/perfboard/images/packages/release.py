# SPDX-License-Identifier: Apache-2.0
"""Packages of another release of Debian than this machine's own, from the same places."""

import subprocess
from collections.abc import Iterator

from perfboard.model.errors import EnvironmentLacksError

_MAIN = "main"


def own_architecture() -> str:
    """This machine's, by Debian's name."""
    command = ["dpkg", "--print-architecture"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def sources_of(release: str) -> str:
    """apt's lines for that release, where this machine has its own.

    apt checks them by the keys that it trusts. Raises EnvironmentLacksError where this machine
    has no source of Debian's.
    """
    lines = sorted(set(_lines(release)))
    if not lines:
        raise EnvironmentLacksError(
            f"/etc/apt names no source of Debian's, from which {release} could be had; add one, "
            "and run apt-get update"
        )
    return "".join(lines)


def _lines(release: str) -> Iterator[str]:
    form = "$(SITE) $(REPO_URI) $(RELEASE) $(COMPONENT)"
    command = [
        "apt-get",
        "indextargets",
        "--format",
        form,
        "Created-By: Packages",
        "Origin: Debian",
    ]
    shown = subprocess.run(command, capture_output=True, text=True, errors="replace")
    for line in shown.stdout.splitlines():
        _, place, name, component = line.rsplit(" ", 3)
        # Updates of a release have its name and a word.
        if component == _MAIN and "-" not in name:
            yield f"deb {place} {release} {_MAIN}\n"
