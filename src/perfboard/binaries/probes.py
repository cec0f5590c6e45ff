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

LIST = "probes.json"
_PACKAGED = Path(__file__).parent / "bin" / LIST
# As native/probe/probe.h defines it: identifier, name, group, title, summary, and what the host
# does not need.
_PROBE = re.compile(r"^PROBE\(\w+" + r',\s+"([^"\\]+)"' * 4 + ",", re.MULTILINE)

# The beginning of a `struct metric`.
_METRIC = re.compile(r'"([a-z0-9_]+(?:\.[a-z0-9_]+)+)",\s*"(s|B/s|1/s|B|1)",\s*(LOWER|HIGHER)')


@dataclass(frozen=True)
class ProbeWords:
    """One probe, in words for people."""

    name: str  # as in "memory.latency"
    group: str  # heading of the metrics it is shown with, as in "Memory"
    title: str  # as in "Memory latency"
    summary: str  # what it measures, a line
    metrics: tuple[tuple[str, str, str], ...] = ()  # name, unit, and "lower" or "higher" is better


def all_probes() -> tuple[ProbeWords, ...]:
    """The probes of this package, in the order of the binary's own list.

    Raises EnvironmentLacksError if there is neither a list nor a checkout's sources.
    """
    if _PACKAGED.is_file():
        return tuple(
            ProbeWords(**{**one, "metrics": tuple(map(tuple, one["metrics"]))})
            for one in json.loads(_PACKAGED.read_text())
        )
    sources = sorted(source_folder().glob("probes/*/*.c"))
    if not sources:
        raise EnvironmentLacksError(
            f"{_PACKAGED} is missing, and so are the probe's sources. Install Perfboard again "
            "from its wheel, which has the list of probes."
        )
    return tuple(
        ProbeWords(match[1], match[2], match[3], match[4], _metrics(text))
        for text in (path.read_text() for path in sources)
        for match in _PROBE.finditer(text)
    )


def _metrics(source: str) -> tuple[tuple[str, str, str], ...]:
    found = dict.fromkeys(match.groups() for match in _METRIC.finditer(source))
    return tuple((name, unit, better.lower()) for name, unit, better in found)


def write_list(path: Path) -> None:
    """Writes what `all_probes` gives as a file that a wheel carries."""
    path.write_text(json.dumps([asdict(one) for one in all_probes()], indent=1) + "\n")
