# SPDX-License-Identifier: Apache-2.0
"""A guide of few rows, and a target in memory that it is measured on."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType

from perfboard.bench.lab import Lab
from perfboard.bench.request import Request
from perfboard.measures.reading import example_time
from perfboard.model.progress import Progress, SilentProgress, Step
from perfboard.model.run import Evidence, Run
from perfboard.probes.exchange import ProbeAnswer
from perfboard.probes.records import ProbeEntry
from perfboard.studies.guide.plan import Extent
from perfboard.studies.guide.study import measure_guide
from perfboard.studies.measure import MeasureOptions
from perfboard.targets.base import Reply, Target
from tests.support.shells import SayingShell

GUIDE = """
schema = "perfboard.profile/2"
[profile]
name = "ours"
device = "Our board"
for = "us"
[[area]]
title = "Kernel"
quick = ["ipc.pipe"]
more = ["kernel.fork"]
[[area]]
title = "Storage"
more = ["memory.dd quick=true", "disk.dd quick=true"]
all = ["disk.dd"]
[[area]]
title = "Facts"
quick = ["boot"]
"""
PROBES = ("ipc.pipe", "kernel.fork", "system.facts")
DD = "".join(example_time(f"dd-{block}", 10**9, 500_000) * 5 for block in (512, 65536))


class GuidedShell(SayingShell):
    """A live target whose dd takes a second; `stops` is raised when that is run so often."""

    def __init__(self) -> None:
        super().__init__()
        self.stops: tuple[int, BaseException] | None = None
        self.jobs = 0

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        self.scripts.append(script)
        if script == "uname -m":
            return Reply(0, "x86_64\n")
        if script.startswith("uname"):
            return Reply(0, "Linux 6.1 x86_64\n")
        if script.startswith("df"):
            return Reply(0, "/dev/sda 99999999 0 99999999 0% /tmp\n")
        if script.startswith("grep MemTotal"):
            return Reply(0, "MemTotal: 1048576 kB\n")
        if "work.sh" in script:
            self.jobs += 1
            if self.stops and self.jobs == self.stops[0]:
                raise self.stops[1]
            return Reply(0, DD)
        return Reply(0, "TMPDIR=/tmp\n" if "TMPDIR" in script else "")

    def push(self, data: bytes, path: str, progress: object) -> None:
        """Any file fits."""


class GuidedTarget:
    """The target, and a session whose probes take `seconds`, a little more in each process."""

    machine = arch = "x86_64"

    def __init__(self) -> None:
        self.shell = GuidedShell()
        self.seconds = {"ipc.pipe": 1e-6, "kernel.fork": 1e-4}
        self.facts = {"board": "A Board", "kernel": "6.1", "compiler": "gcc 12.2.0"}
        self.ran: list[str] = []
        self.stops: tuple[str, int, BaseException] | None = None
        self.titles: list[str] = []

    @contextmanager
    def open_target(
        self,
        text: str,
        progress: Progress,
        artifacts: Path | None,
        factors: Mapping[str, str] = MappingProxyType({}),
    ) -> Iterator[Target]:
        yield Target(text, Evidence.HOST, self.shell, factors=factors)

    @contextmanager
    def session(self, target: Target, progress: Progress) -> Iterator["GuidedTarget"]:
        yield self

    def probes(self) -> tuple[ProbeEntry, ...]:
        words = ({"probe": name, "summary": "", "weight": 1} for name in PROBES)
        return tuple(map(ProbeEntry.model_validate, words))

    def run(self, probe: str, arguments: Sequence[str], limit_s: float) -> ProbeAnswer:
        count = self.ran.count(probe)
        if self.stops and self.stops[:2] == (probe, count):
            raise self.stops[2]
        self.ran.append(probe)
        lines: list[Mapping[str, object]] = [{"process": {"probe": probe, "cpu": 0}}]
        if probe == "system.facts":
            lines += [{"fact": name, "value": value} for name, value in self.facts.items()]
        else:
            seconds = self.seconds[probe] * (1 + count % 5 / 1000)
            about = {"metric": probe, "unit": "s", "better": "lower", "labels": {"size": "4096"}}
            lines.append({**about, "samples": [seconds, seconds]})
        lines.append({"end": {"elapsed_s": 0.1}})
        return ProbeAnswer(tuple(map(json.dumps, lines)), "exit 0")

    def step(self, title: str, total: float) -> AbstractContextManager[Step]:
        """Keeps the titles of the progress."""
        self.titles.append(title)
        return SilentProgress().step(title, total)

    def measure(
        self, folder: Path, extent: Extent = "usual", text: str = GUIDE, target: str = "local"
    ) -> Run:
        """A guide of that text, measured here."""
        path = folder / "ours.toml"
        path.write_text(text)
        request = Request(target, {}, ("perfboard", "measure", str(path)))
        lab = Lab(progress=self, open=self.open_target, probe=self.session)
        return measure_guide(str(path), extent, {}, request, MeasureOptions(time=1.0), lab)
