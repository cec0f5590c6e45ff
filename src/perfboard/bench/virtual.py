# SPDX-License-Identifier: Apache-2.0
"""Runs workloads on a virtual board, which is booted anew for each."""

import re
from collections.abc import Iterator
from pathlib import Path
from threading import Event

from perfboard.analysis.program.metrics import how_often, instants, ran
from perfboard.bench.base import Notify
from perfboard.bench.display.home import unpack_home
from perfboard.bench.display.screen import completed
from perfboard.bench.job import AUTHORITY, DISK, HOME, NotMeasurable, Work, WorkFailed
from perfboard.bench.lab import Lab
from perfboard.bench.script import (
    FOUND,
    SCRIPT,
    WATCHER,
    codec_programs,
    ended,
    toolkit_program,
    whole_script,
)
from perfboard.bench.served import with_served
from perfboard.binaries.probe import find_binary
from perfboard.factors.choose import perturbations, trial_factors, with_features
from perfboard.host.cache import hash_file
from perfboard.host.scratch import scratch_folder
from perfboard.images.network import FAR_END, has_own_card
from perfboard.images.packages.root import LARGE_BLOCKS
from perfboard.images.program.base import Job, check_job, has_little_memory, read_ahead
from perfboard.images.variant import Variant
from perfboard.instruments.scope import pages_served
from perfboard.instruments.screen import SCREEN
from perfboard.model.board.architecture import architecture_of
from perfboard.model.errors import TargetError
from perfboard.model.text import printable
from perfboard.store.recording import Subject
from perfboard.targets.virtual.program import MARK, Results, TrialTarget
from perfboard.targets.virtual.target import Emulation

# In a trial's root file system (native/probe/run/run_root.c).
_PROBE = "/perfboard/probe"
_READS_LITTLE = (
    "Programs are read from the disk by {} KiB at once, and not by the kernel's 128: memory is "
    "short there, and the rest would be dropped before it is wanted."
)
# In KiB; a kernel's own is LARGE_BLOCKS.
_READ_AHEAD = "/sys/block/pbd/queue/read_ahead_kb"
_KILLED = re.compile(r"Killed process \d{1,10} \(([^()\n]{1,15})\)")


class VirtualBench:
    """A virtual board, which is booted anew for each workload."""

    # A repetition takes the same time.
    repeats = 1
    notes: tuple[str, ...] = ()

    def __init__(
        self, variant: Variant, lab: Lab, artifacts: Path, features: tuple[str, ...]
    ) -> None:
        """`features` are those that the kernel has in any case, so that one serves many."""
        self._variant = with_features(variant, features)
        self._lab, self._artifacts = lab, artifacts
        # It takes long where it is not in the cache: not in a workload's time.
        lab.scope(variant.board.network, lab.progress)
        self._emulator = lab.emulator(variant.board.machine.emulator)
        self._image: dict[str, str] = {}
        self._packages: dict[str, str] = {}

    def subject(self) -> Subject:
        """See `Bench`."""
        board = self._variant.board
        emulation = Emulation(self._variant)
        levels = {name: self._variant.levels[name] for name in trial_factors(board)}
        return Subject(
            emulation.summary(),
            f"virtual:{board.name}",
            emulation.evidence,
            levels=levels,
            perturbed=perturbations(levels),
            tools={board.machine.emulator: self._emulator},
            image=self._image,
            packages=self._packages,
        )

    def run(self, name: str, work: Work, notify: Notify) -> str:
        """See `Bench`."""
        lab, variant = self._lab, with_features(self._variant, work.features)
        _check(work, variant)
        artifacts = self._artifacts / name
        with scratch_folder() as folder:
            job, notes = self._job(work, variant, folder)
            check_job(job, variant.board)
            base = lab.prepare(variant, job, lab.progress)
            self._packages |= base.packages
            self._image = {"kernel": hash_file(base.kernel)}
            target = TrialTarget(variant, base, job)
            artifacts.mkdir(parents=True)
            try:
                results = lab.try_out(
                    target,
                    self._plugin(work),
                    artifacts,
                    lambda now_ns, began_ns: notify(max(0, now_ns - began_ns) / 1e9),
                    Event(),
                )
            except TargetError as error:
                raise NotMeasurable(f"the board failed: {error}") from error
        notes += [*base.notes, *target.notes(), *_lacked(target, name, artifacts)]
        self.notes = tuple(dict.fromkeys((*self.notes, *notes)))
        output = _output(work, results, artifacts)
        return _with_screen(output, artifacts, work.screen) if work.screen else output

    def _job(self, work: Work, variant: Variant, folder: Path) -> tuple[Job, list[str]]:
        """The job of the board, whose files go to the folder, and notes on it."""
        lab, board = self._lab, variant.board
        scope = "scope" if work.screen else ""
        script = f"SCOPE={scope} PROBE={_PROBE}; export PROBE\n{whole_script(work)}"
        built, notes = self._build_codecs(work)
        if built:
            script = f"{FOUND}{script}"
        ahead = read_ahead(board) if board.disk and work.from_disk else LARGE_BLOCKS
        if ahead != LARGE_BLOCKS:
            script = f"echo {ahead} > {_READ_AHEAD}\n{script}"
            notes.append(_READS_LITTLE.format(ahead))
        files = {**work.files, **built}
        authority = lab.kept_authority(FAR_END, lab.progress) if work.secure else None
        if authority:
            files[AUTHORITY] = authority.certificate.read_bytes()
            script = f"CA={authority.name}\n{script}"
        if work.display:
            arch = architecture_of(board).probe
            files[WATCHER] = find_binary(arch, lab.progress, "display").read_bytes()
            files |= toolkit_program(work, arch, lab)
        files[SCRIPT] = script.encode()
        pages = folder / "pages"
        pages.mkdir()
        for place, named in ((folder, files), (pages, work.pages)):
            for file, data in named.items():
                (place / file).write_bytes(data)
        for file in files:
            (folder / file).chmod(0o700)
        pushed = [folder / file for file in files]
        if HOME in files and has_little_memory(board):
            # Unpacked there, it would take of the board's memory, all of it.
            pushed[pushed.index(folder / HOME)] = unpack_home(folder / HOME, folder / "home")
        job = Job(
            command=("sh", SCRIPT),
            packages=tuple(n for n in work.packages if not built or n not in work.codecs),
            without=work.without,
            files=tuple(pushed),
            limit_s=work.limit_s,
            from_disk=work.from_disk,
            screen=work.screen is not None,
            pages=pages if work.pages else None,
            authority=authority.certificate.parent if authority else None,
        )
        return job, notes

    def _plugin(self, work: Work) -> Path:
        """The scope, with TLS for the work that serves pages over it."""
        words = (True,) if work.secure else ()
        return self._lab.scope(self._variant.board.network, self._lab.progress, *words)

    def _build_codecs(self, work: Work) -> tuple[dict[str, bytes], list[str]]:
        """The programs that the board's part has instructions for, and notes on their build."""
        timing = self._variant.board.timing
        lacks = timing.lacks if timing else None
        if lacks is None:
            return {}, []
        return codec_programs(work, "i486" if "pentium" in lacks.kinds else "pentium", self._lab)


def _check(work: Work, variant: Variant) -> None:
    """Raises NotMeasurable where the board lacks the disk or the network that the work wants."""
    board = variant.board
    if board.disk and DISK in work.script and board.disk.trial_size < work.data:
        raise NotMeasurable(
            f"the board's disk has {board.disk.trial_size / 1e6:.0f} MB, and it wants "
            f"{work.data / 1e6:.0f} MB; a board file with a larger disk.data has the room"
        )
    if work.pages and not has_own_card(board.network):
        raise NotMeasurable(
            f"board {board.name} has no network that serves pages: give its file a "
            "table [network] (docs/boards/network.md)"
        )


def _output(work: Work, results: Results, artifacts: Path) -> str:
    """The output of the work's script. Raises NotMeasurable, WorkFailed."""
    if results.late:
        raise NotMeasurable(f"it has not ended after {work.limit_s:.0f} s of the board's time")
    if results.oom_kills:
        console = (artifacts / "console.log").read_text(errors="replace")
        raise WorkFailed(f"the board's memory ended, and its kernel killed {killed_in(console)}")
    output, errors = (part.decode(errors="replace") for part in (results.stdout, results.stderr))
    return ended(work, output, errors, results.exit_code or 0)


def _lacked(target: TrialTarget, name: str, artifacts: Path) -> Iterator[str]:
    """The note on how often instructions ran that the part lacks, if it lacks some."""
    marks = instants((artifacts / "scope.jsonl").read_text(), MARK)
    lacks = target.lacks if target.timed and len(marks) > 1 else None
    if lacks and (counts := ran(marks[0], marks[1], lacks.kinds)):
        yield f"{name}: instructions that the part lacks ran {how_often(counts)}."


def killed_in(console: str) -> str:
    """The programs that the kernel killed for want of memory, by the words of its console."""
    names = dict.fromkeys(_KILLED.findall(console))
    return printable(" and ".join(names)) or "a program"


def _with_screen(output: str, artifacts: Path, size: tuple[int, int]) -> str:
    """The output completed with what the scope saw; its record is removed, as it is large."""
    try:
        return with_served(completed(output, artifacts / SCREEN, *size), pages_served(artifacts))
    except (OSError, ValueError) as error:
        raise NotMeasurable(f"the scope's record: {error}") from error
    finally:
        (artifacts / SCREEN).unlink(missing_ok=True)
