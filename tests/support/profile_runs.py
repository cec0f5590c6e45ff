# SPDX-License-Identifier: Apache-2.0
"""Boards and a target in memory that are held against a profile."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

from perfboard.bench.request import Request
from perfboard.images.program.base import ProgramJob
from perfboard.images.program.codecs import BuiltCodec
from perfboard.measures.reading import example_time
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress, SilentProgress, Step
from perfboard.model.run import Evidence, Run
from perfboard.studies.choose.board import BoardStudy
from perfboard.studies.choose.options import ChooseOptions
from perfboard.targets.base import Reply, Target
from perfboard.targets.virtual.program import ProgramResults
from tests.support.lab import RESULTS, FakeLab
from tests.support.shells import SayingShell

PROFILE = """
schema = "perfboard.profile/1"
[profile]
name = "box"
device = "A box of pictures"
for = "us"
[[key_issue]]
name = "picture"
question = "Is it fast?"
measure = "image.scale"
metric = "image.scale.time"
parameters = { width = 64, height = 64 }
budget = "<= 3 s"
[[key_issue]]
name = "sound"
question = "Is it loud?"
workload = "audio.encode"
metric = "audio.encode.time"
budget = "<= 3 s"
weight = "should"
"""
RECORDING = f"""{PROFILE.partition("[[key_issue]]")[0]}
[[key_issue]]
name = "record"
question = "Is it written?"
workload = "media.record"
metric = "media.record.late"
budget = "<= 0 %"
"""
PAGE = f"""{PROFILE.partition("[[key_issue]]")[0]}
[[key_issue]]
name = "page"
question = "Is it there?"
workload = "page.load"
metric = "page.load.time"
budget = "<= 3 s"
"""
START = f"""{PROFILE.partition("[[key_issue]]")[0]}
[[key_issue]]
name = "picture"
question = "Does it start?"
measure = "app.start"
metric = "app.start.time"
budget = "<= 3 s"
"""
SCALED = example_time("scale", 10**9, 990_000).encode()
SLOW = example_time("scale", 9 * 10**9, 990_000).encode()


class WorkShell(SayingShell):
    """A live target whose workloads print `output`, with that status; it has 9 MB free."""

    def __init__(self, output: str, status: int = 0, free_kb: int = 9000) -> None:
        super().__init__()
        self._output, self._status, self._free_kb = output, status, free_kb

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        if script == "uname -m":
            return Reply(0, "x86_64\n")
        if script.startswith("df"):
            return Reply(0, f"/dev/sda 99999 0 {self._free_kb} 0% /tmp\n")
        if "work.sh" in script:
            return Reply(self._status, self._output)
        return Reply(0, "TMPDIR=/tmp\n" if "TMPDIR" in script else "")

    def push(self, data: bytes, path: str, progress: object) -> None:
        self.scripts.append(path)


def ends(job: ProgramJob, cancelled: Event) -> ProgramResults:
    pictures = any(file.name == "strip" for file in job.files)
    return replace(RESULTS, stdout=SCALED) if pictures else replace(RESULTS, exit_code=3)


class _Titles:
    """A Progress that keeps the titles of its steps."""

    def __init__(self, titles: list[str]) -> None:
        self.titles = titles

    def step(self, title: str, total: float) -> AbstractContextManager[Step]:
        self.titles.append(title)
        return SilentProgress().step(title, total)


def run(
    fake: FakeLab,
    path: Path,
    target: str = "virtual:rpi2",
    titles: list[str] | None = None,
    others: Sequence[str] = (),
    **options: Any,
) -> Run:
    """On a virtual board; `others` are measured by the same command."""
    more = tuple(Request(each, {}, ("perfboard",)) for each in others)
    request = Request(target, {}, ("perfboard",), others=more)
    given = ChooseOptions(profile=str(path), **options)
    progress = _Titles([] if titles is None else titles)
    return BoardStudy().run(request, given, fake.lab(progress=progress))


def no_codec(name: str, part: str, progress: object) -> BuiltCodec:
    raise EnvironmentLacksError("no network")


def no_programs(name: str, part: str, progress: object) -> BuiltCodec:
    return BuiltCodec({}, f"{name} has none")


def run_live(
    shell: SayingShell,
    path: Path,
    tmp_path: Path,
    codec: Callable[[str, str, Progress], BuiltCodec] = no_codec,
    **options: Any,
) -> Run:
    """On a target with that shell."""

    @contextmanager
    def open_it(*_: object) -> Iterator[Target]:
        yield Target("local", Evidence.HOST, shell, probe="x86_64")

    lab = FakeLab(tmp_path).lab(open=open_it, codec=codec)
    given = ChooseOptions(profile=str(path), only=("picture",), **options)
    return BoardStudy().run(Request("local", {}, ("perfboard",)), given, lab)
