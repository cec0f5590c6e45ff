# SPDX-License-Identifier: Apache-2.0
"""A lab for tests: it builds small files, and boots and runs programs as a test says."""

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

from perfboard.bench.lab import Lab
from perfboard.host.cache.cache import key_of
from perfboard.images.image import Image
from perfboard.images.kernel.system_map import SystemMap
from perfboard.images.packages.root import PackageRoot
from perfboard.images.program.base import ProgramJob, TrialBase
from perfboard.images.variant import Variant
from perfboard.instruments.base import Instrument
from perfboard.model.progress import Progress
from perfboard.model.results.boot import Boot
from perfboard.targets.virtual.program import ProgramResults, TrialTarget
from perfboard.targets.virtual.target import VirtualTarget
from tests.support.runs import make_boot

MARKED = ("start_kernel", "sched_init", "rest_init", "prepare_namespace")
SYMBOLS = {name: 4 * at for at, name in enumerate((*MARKED, "run_init_process", "bprm_execve"), 1)}
TRIED = "".join(f'{{"mark":"try","ns":{at},"instructions":{at}}}\n' for at in (7, 9, 10))
RESULTS = ProgramResults(
    exit_code=0,
    signal=None,
    late=False,
    interrupted=False,
    cut=False,
    oom_kills=0,
    user_s=0.0,
    system_s=0.0,
    resident_bytes=4096,
    stdout=b"",
    stderr=b"",
)


class FakeLab:
    """Its files lie in `folder`. Each of its functions may be replaced, to raise, say."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.jobs: list[ProgramJob] = []
        self.variants: list[Variant] = []
        self.tried, self.beyond = TRIED, ""
        self.takes: Callable[[Variant], Boot] = lambda variant: make_boot()
        self.ends: Callable[[ProgramJob, Event], ProgramResults] = lambda job, cancelled: RESULTS
        (folder / "kernel").mkdir(exist_ok=True)
        (folder / "kernel" / "zImage").write_bytes(b"a kernel")
        (folder / "kernel" / "System.map").write_text("00000008 T first\n00000010 T second\n")

    def lab(self, **others: Any) -> Lab:
        """The lab, but for `others`."""
        own = {
            "require": lambda uses, architecture: None,
            "build": self.build,
            "emulator": lambda program: "7.2.0",
            "scope": lambda network, progress: self.folder / "scope" / "scope.so",
            "boot": self.boot,
            "prepare": self.prepare,
            "try_out": self.try_out,
        }
        return Lab(**(own | others))

    def build(self, variant: Variant, progress: Progress) -> Image:
        """An image that is the same for the same levels."""
        return Image(
            banks=(),
            kernel_file=self.folder / "kernel" / "zImage",
            entries={"kernel.entry": 2},
            symbols=SYMBOLS,
            notes=(),
            hashes={"image": key_of(variant.levels)},
            packages={},
            sizes={"kernel": 1 << 20},
        )

    def boot(
        self,
        target: VirtualTarget,
        instruments: Sequence[Instrument],
        artifacts: Path,
        seen: Callable[[str], None],
        cancelled: Event,
    ) -> tuple[Boot, int | None]:
        """A boot that leaves a console and a log."""
        (artifacts / "console.log").write_bytes(b"U-Boot\n")
        (artifacts / "scope.jsonl").write_text("")
        seen("kernel.entry")
        return self.takes(target.variant), 1 << 20

    def prepare(self, variant: Variant, job: ProgramJob, progress: Progress) -> TrialBase:
        """The job is kept in `jobs`, the variant in `variants`."""
        self.jobs.append(job)
        self.variants.append(variant)
        root = self.folder / "root"
        root.write_bytes(b"a root")
        symbols = SystemMap({"_text": 0xC0008000, "sys_vhangup": 0xC0008004}, frozenset())
        return TrialBase(
            kernel=self.folder / "kernel" / "zImage",
            symbols=symbols,
            root=PackageRoot(root, {}, ()),
            packages={},
            notes=(),
            flash_devices=0,
        )

    def interrupt_second(self, ends: Callable[[ProgramJob, Event], ProgramResults]) -> None:
        """The second job ends as by ^C, and all others as `ends` says."""

        def interrupted(job: ProgramJob, cancelled: Event) -> ProgramResults:
            if len(self.jobs) == 2:
                raise KeyboardInterrupt
            return ends(job, cancelled)

        self.ends = interrupted

    def try_out(
        self,
        target: TrialTarget,
        plugin: Path,
        artifacts: Path,
        told: Callable[[int, int], None],
        cancelled: Event,
    ) -> ProgramResults:
        """The results of the last job."""
        (artifacts / "scope.jsonl").write_text(self.tried)
        (artifacts / "profile.jsonl").write_text("")
        if self.beyond:
            (artifacts / "beyond.jsonl").write_text(self.beyond)
        (artifacts / "console.log").write_text("")
        told(7, 7)
        return self.ends(self.jobs[-1], cancelled)
