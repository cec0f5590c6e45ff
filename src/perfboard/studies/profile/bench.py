# SPDX-License-Identifier: Apache-2.0
"""Runs workloads on a live target, or on a virtual board, which it boots for each."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import Protocol

from perfboard.analysis.program.metrics import how_often, instants, ran
from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.factors.choose import trial_factors, with_features
from perfboard.host.cache import hash_file
from perfboard.host.scratch import scratch_folder
from perfboard.images.network import FAR_END, has_own_card
from perfboard.images.packages.root import LARGE_BLOCKS
from perfboard.images.program.base import Job, check_job, has_little_memory, read_ahead
from perfboard.images.program.toolkits import PROGRAM
from perfboard.images.variant import Variant
from perfboard.instruments.scope import pages_served
from perfboard.instruments.screen import SCREEN
from perfboard.model.board.architecture import architecture_of as board_architecture
from perfboard.model.errors import EnvironmentLacksError, TargetError, UsageError
from perfboard.model.text import printable
from perfboard.store.recording import Subject
from perfboard.studies.lab import Lab
from perfboard.studies.profile.served import PageServer, serving, with_served
from perfboard.studies.profile.workloads.base import (
    AUTHORITY,
    DISK,
    HOME,
    NotMeasurable,
    Work,
    WorkFailed,
    check_ended,
)
from perfboard.studies.profile.workloads.display.session import unpack_home
from perfboard.studies.profile.workloads.display.shown import completed
from perfboard.targets.base import Target
from perfboard.targets.folder import working_folder
from perfboard.targets.pipe import local
from perfboard.targets.virtual.program import MARK, TrialTarget
from perfboard.targets.virtual.target import Emulation

_SCRIPT = "work.sh"
_PROBE = "perfboard-probe"
_WATCHER = "perfboard-display"
# In a trial's root file system (native/probe/run/run_root.c).
_TRIAL_PROBE = "/perfboard/probe"
_READS_LITTLE = (
    "Programs are read from the disk by {} KiB at once, and not by the kernel's 128: memory is "
    "short there, and the rest would be dropped before it is wanted."
)
# In KiB; a kernel's own is LARGE_BLOCKS.
_READ_AHEAD = "/sys/block/pbd/queue/read_ahead_kb"
_LAST = 400
_KILLED = re.compile(r"Killed process \d{1,10} \(([^()\n]{1,15})\)")
# The line of a script that lets it find the programs beside it.
_FOUND = 'PATH="$(pwd):$PATH"\n'

# The board's time so far, in s.
Notify = Callable[[float], None]


class Bench(Protocol):
    """Runs what a workload plans."""

    def run(self, name: str, work: Work, notify: Notify) -> str:
        """The script's output. Raises NotMeasurable for what the target does not have or do.

        The instruments' files go to the folder `name` of the run's artifacts.
        """

    def subject(self) -> Subject:
        """The board and target, as the head of the run names them."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the target."""

    @property
    def repeats(self) -> int:
        """How often a workload measures each thing here."""


class LiveBench:
    """A target with a shell; each workload has a folder there, which is removed after it."""

    repeats = 5

    def __init__(self, target: Target, subject: Subject, lab: Lab) -> None:
        self._target, self._subject, self._lab = target, subject, lab
        self.notes: tuple[str, ...] = target.notes

    def subject(self) -> Subject:
        """See `Bench`."""
        return self._subject

    def run(self, name: str, work: Work, notify: Notify) -> str:
        """See `Bench`."""
        shell, progress = self._target.shell, self._lab.progress
        machine = shell.run("uname -m").output.strip()
        arch = self._target.probe or architecture_of(machine)
        probe = find_binary(arch, progress).read_bytes()
        with ExitStack() as stack:
            folder = stack.enter_context(working_folder(shell))
            built = self._build_codecs(work, arch)
            script = f"{_FOUND if built else ''}{whole_script(work)}"
            files = {**work.files, **built, _PROBE: probe, _SCRIPT: script.encode()}
            served = stack.enter_context(self._serving(work, files)) if work.secure else None
            if work.display:
                files[_WATCHER] = find_binary(arch, progress, "display").read_bytes()
            files |= _toolkit(work, arch, self._lab)
            for name, data in files.items():
                shell.push(data, f"{folder}/{name}", progress)
            script = f"cd {folder} && PROBE=./{_PROBE} && export PROBE && . ./{_SCRIPT}"
            try:
                done = shell.run(script, timeout_s=work.limit_s)
            except TargetError as error:
                if error.kind != "hang":
                    raise
                raise NotMeasurable(f"it has not ended after {work.limit_s:.0f} s") from error
        output = ended(work, done.output, done.errors, done.status)
        return with_served(output, served.lines) if served else output

    @contextmanager
    def _serving(self, work: Work, files: dict[str, bytes]) -> Iterator[PageServer]:
        """Serves the work's pages, and tells its script where, and by whose certificate."""
        if self._target.name != local.SCHEME:
            raise NotMeasurable(
                "pages over TLS are served by this machine to itself: measure it on --target local"
            )
        with scratch_folder() as folder:
            try:
                authority = self._lab.authority(folder, "127.0.0.1")
            except EnvironmentLacksError as error:
                raise NotMeasurable(f"no certificate can be made: {error}") from error
            with serving(work.pages, authority) as server:
                files |= {
                    AUTHORITY: authority.certificate.read_bytes(),
                    _SCRIPT: f"PORT={server.port} CA={authority.name}\n".encode() + files[_SCRIPT],
                }
                yield server

    def _build_codecs(self, work: Work, arch: str) -> dict[str, bytes]:
        """The codecs' programs that the target lacks."""
        if not work.codecs:
            return {}
        looks = "; ".join(f"command -v {name}" for name in work.programs)
        if len(self._target.shell.run(looks).output.split()) == len(work.programs):
            return {}
        try:
            programs, notes = _codecs(work, arch, self._lab)
        except EnvironmentLacksError as error:
            names = " and ".join(work.programs)
            raise NotMeasurable(f"the target has no {names}; to build it: {error}") from error
        self.notes = tuple(dict.fromkeys((*self.notes, *notes)))
        return programs

    def check_room(self, works: Sequence[Work]) -> None:
        """Raises UsageError where the target has no room for one of them."""
        wanted = max((_size(work) for work in works), default=0)
        shell = self._target.shell
        with working_folder(shell) as folder:
            place = folder.rpartition("/")[0]
            words = shell.run(f"df -Pk {folder} | tail -n 1").output.split()
        free = int(words[3]) * 1024 if len(words) > 3 and words[3].isdigit() else wanted
        if free < wanted:
            raise UsageError(
                f"{place} of the target has {free / 1e6:.0f} MB free, and the profile wants "
                f"{wanted / 1e6:.0f} MB; make room there, set TMPDIR there to a folder with more, "
                "or choose rows that want less by --only"
            )


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
        return Subject(
            emulation.summary(),
            f"virtual:{board.name}",
            emulation.evidence,
            levels={name: self._variant.levels[name] for name in trial_factors(board)},
            tools={board.machine.emulator: self._emulator},
            image=self._image,
            packages=self._packages,
        )

    def run(self, name: str, work: Work, notify: Notify) -> str:
        """See `Bench`."""
        lab, variant = self._lab, with_features(self._variant, work.features)
        disk = variant.board.disk
        if disk and DISK in work.script and disk.trial_size < work.data:
            raise NotMeasurable(
                f"the board's disk has {disk.trial_size / 1e6:.0f} MB, and it wants "
                f"{work.data / 1e6:.0f} MB; a board file with a larger disk.data has the room"
            )
        if work.pages and not has_own_card(variant.board.network):
            raise NotMeasurable(
                f"board {variant.board.name} has no network that serves pages: give its file a "
                "table [network] (docs/boards/network.md)"
            )
        with scratch_folder() as folder:
            scope = "scope" if work.screen else ""
            script = f"SCOPE={scope} PROBE={_TRIAL_PROBE}; export PROBE\n{whole_script(work)}"
            ahead = read_ahead(variant.board) if disk and work.from_disk else LARGE_BLOCKS
            if ahead != LARGE_BLOCKS:
                script = f"echo {ahead} > {_READ_AHEAD}\n{script}"
            files = {**work.files, _SCRIPT: script.encode()}
            if work.display:
                arch = board_architecture(variant.board).probe
                files[_WATCHER] = find_binary(arch, lab.progress, "display").read_bytes()
                files |= _toolkit(work, arch, lab)
            authority = lab.kept_authority(FAR_END, lab.progress) if work.secure else None
            if authority:
                files[AUTHORITY] = authority.certificate.read_bytes()
                files[_SCRIPT] = f"CA={authority.name}\n".encode() + files[_SCRIPT]
            built, notes = self._build_codecs(work)
            if ahead != LARGE_BLOCKS:
                notes.append(_READS_LITTLE.format(ahead))
            if built:
                files[_SCRIPT] = _FOUND.encode() + files[_SCRIPT]
            for file, data in {**files, **built}.items():
                (folder / file).write_bytes(data)
                (folder / file).chmod(0o700)
            pushed = [folder / file for file in (*files, *built)]
            if HOME in files and has_little_memory(variant.board):
                # Unpacked there, it would take of the board's memory, all of it.
                pushed[pushed.index(folder / HOME)] = unpack_home(folder / HOME, folder / "home")
            pages = folder / "pages"
            pages.mkdir()
            for file, data in work.pages.items():
                (pages / file).write_bytes(data)
            job = Job(
                command=("sh", _SCRIPT),
                packages=tuple(n for n in work.packages if not built or n not in work.codecs),
                without=work.without,
                files=tuple(pushed),
                limit_s=work.limit_s,
                from_disk=work.from_disk,
                screen=work.screen is not None,
                pages=pages if work.pages else None,
                authority=authority.certificate.parent if authority else None,
            )
            check_job(job, variant.board)
            base = lab.prepare(variant, job, lab.progress)
            self._packages |= base.packages
            self._image = {"kernel": hash_file(base.kernel)}
            target = TrialTarget(variant, base, job)
            artifacts = self._artifacts / name
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
        if results.late:
            raise NotMeasurable(f"it has not ended after {work.limit_s:.0f} s of the board's time")
        if results.oom_kills:
            console = (artifacts / "console.log").read_text(errors="replace")
            raise WorkFailed(
                f"the board's memory ended, and its kernel killed {killed_in(console)}"
            )
        output, errors = (p.decode(errors="replace") for p in (results.stdout, results.stderr))
        output = ended(work, output, errors, results.exit_code or 0)
        return _with_screen(output, artifacts, work.screen) if work.screen else output

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
        return _codecs(work, "i486" if "pentium" in lacks.kinds else "pentium", self._lab)


def _lacked(target: TrialTarget, name: str, artifacts: Path) -> Iterator[str]:
    """The note on how often instructions ran that the part lacks, if it lacks some."""
    marks = instants((artifacts / "scope.jsonl").read_text(), MARK)
    lacks = target.lacks if target.timed and len(marks) > 1 else None
    if lacks and (counts := ran(marks[0], marks[1], lacks.kinds)):
        yield f"{name}: instructions that the part lacks ran {how_often(counts)}."


def _codecs(work: Work, part: str, lab: Lab) -> tuple[dict[str, bytes], list[str]]:
    """The programs of the work's codecs for that part, and notes on their build."""
    codecs = [lab.codec(name, part, lab.progress) for name in work.codecs.values()]
    programs = {name: path.read_bytes() for one in codecs for name, path in one.programs.items()}
    return programs, [one.words for one in codecs]


def _size(work: Work) -> int:
    """The bytes that it puts on the target and writes there."""
    return work.data + sum(map(len, work.files.values()))


def killed_in(console: str) -> str:
    """The programs that the kernel killed for want of memory, by the words of its console."""
    names = dict.fromkeys(_KILLED.findall(console))
    return printable(" and ".join(names)) or "a program"


def _toolkit(work: Work, arch: str, lab: Lab) -> dict[str, bytes]:
    """The program of the work's toolkit, if it has one. Raises NotMeasurable."""
    if not work.toolkit:
        return {}
    try:
        return {PROGRAM: lab.toolkit(work.toolkit, arch, lab.progress).read_bytes()}
    except EnvironmentLacksError as error:
        raise NotMeasurable(f"the program of {work.toolkit} cannot be had: {error}") from error


def _with_screen(output: str, artifacts: Path, size: tuple[int, int]) -> str:
    """The output completed with what the scope saw; its record is removed, as it is large."""
    try:
        return with_served(completed(output, artifacts / SCREEN, *size), pages_served(artifacts))
    except (OSError, ValueError) as error:
        raise NotMeasurable(f"the scope's record: {error}") from error
    finally:
        (artifacts / SCREEN).unlink(missing_ok=True)


def whole_script(work: Work) -> str:
    """The script, which first looks for its programs."""
    names = " ".join(work.programs)
    look = 'command -v "$name" > /dev/null || lacks="$lacks $name"'
    says = '[ -z "$lacks" ] || { echo "@missing$lacks"; exit 0; }'
    return f"lacks=; for name in {names}; do {look}; done; {says}\n{work.script}"


def ended(work: Work, output: str, errors: str, status: int) -> str:
    """The output of the work's script. Raises NotMeasurable, WorkFailed."""
    check_ended("its script", status, printable(" ".join((errors or output).split())[-_LAST:]))
    if match := re.search(r"^@missing ([^\n]{1,400})$", output, re.MULTILINE):
        names = " and no ".join(printable(match[1]).split())
        packages = " ".join(work.packages)
        where = f"on Debian, install {packages} there" if packages else "install it there"
        raise NotMeasurable(f"the target has no {names}; {where}")
    return output
