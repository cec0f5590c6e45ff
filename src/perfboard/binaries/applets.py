# SPDX-License-Identifier: Apache-2.0
"""The list of probes, without compiling: a checkout's sources name them, a wheel has a list.

The package's build hook calls this before anything that Perfboard depends on is installed:
nothing outside the standard library is imported.
"""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from perfboard.binaries.probe_build import source_folder
from perfboard.model.errors import EnvironmentLacksError

LIST = "applets.json"
_PACKAGED = Path(__file__).parent / "bin" / LIST
# As native/probe/probe.h defines it: identifier, name, group, title, summary, and what the host
# does not need.
_APPLET = re.compile(r"^APPLET\(\w+" + r',\s+"([^"\\]+)"' * 4 + ",", re.MULTILINE)


@dataclass(frozen=True)
class Applet:
    """One probe, in words for people."""

    name: str  # as in "memory.latency"
    group: str  # heading of the metrics it is shown with, as in "Memory"
    title: str  # as in "Memory latency"
    summary: str  # what it measures, a line


def all_applets() -> tuple[Applet, ...]:
    """The probes of this package, in the order of the binary's own list.

    Raises EnvironmentLacksError if there is neither a list nor a checkout's sources.
    """
    if _PACKAGED.is_file():
        return tuple(Applet(**one) for one in json.loads(_PACKAGED.read_text()))
    sources = sorted(source_folder().glob("applets/*.c"))
    if not sources:
        raise EnvironmentLacksError(
            f"{_PACKAGED} is missing, and so are the probe's sources. Install Perfboard again "
            "from its wheel, which has the list of probes."
        )
    return tuple(
        Applet(*match.groups()) for path in sources for match in _APPLET.finditer(path.read_text())
    )


def write_list(path: Path) -> None:
    """Writes what `all_applets` gives as a file that a wheel carries."""
    path.write_text(json.dumps([asdict(one) for one in all_applets()], indent=1) + "\n")
