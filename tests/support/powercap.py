# SPDX-License-Identifier: Apache-2.0
"""A tree as /sys/class/powercap is, whose counters a test moves."""

from pathlib import Path

RANGE_UJ = 262_143_328_850
NAMES = {
    "intel-rapl:0": "package-0",
    "intel-rapl:0:0": "core",
    "intel-rapl:0:1": "dram",
    "intel-rapl:1": "package-1",
    "intel-rapl:2": "psys",
}


class Powercap:
    """Each domain has `uj` microjoules, and begins anew behind `range_uj`."""

    def __init__(self, root: Path, range_uj: int = RANGE_UJ, begin: int = 0) -> None:
        self.root, self.range_uj = root, range_uj
        self.uj = dict.fromkeys(NAMES, begin)
        (root / "intel-rapl").mkdir(parents=True)
        for domain, name in NAMES.items():
            folder = root / domain
            folder.mkdir()
            (folder / "name").write_text(f"{name}\n")
            (folder / "max_energy_range_uj").write_text(f"{range_uj}\n")
            self.add(domain, 0)

    def add(self, domain: str, uj: int) -> None:
        self.uj[domain] += uj
        file = self.root / domain / "energy_uj"
        # In place: a meter has it open.
        with file.open("r+" if file.exists() else "w") as stream:
            stream.write(f"{self.uj[domain] % self.range_uj:<20}\n")
