# SPDX-License-Identifier: Apache-2.0
"""A virtual board."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Event

from perfboard.bench.base import BootFindings, KnownFacts, Notify
from perfboard.bench.boot.virtual import ImageBoots
from perfboard.bench.display.home import unpack_home
from perfboard.bench.fit import check_ethernet, check_has
from perfboard.bench.job import AUTHORITY, HOME, Job, NotMeasurable
from perfboard.bench.lab import Lab
from perfboard.bench.options import BenchOptions
from perfboard.bench.outcome import lacked, output_of, refuse_lacking, with_screen
from perfboard.bench.script import (
    FOUND,
    SCRIPT,
    WATCHER,
    codec_programs,
    toolkit_program,
    whole_script,
)
from perfboard.bench.talk.ends import Ends
from perfboard.bench.talk.far_end import booted, with_own_card
from perfboard.bench.talk.tcp import Talk, talk_from
from perfboard.binaries.probe import find_binary
from perfboard.boards.loader import LoadedBoard
from perfboard.factors.choose import choose, perturbations, trial_factors, with_features
from perfboard.factors.published import published_at
from perfboard.host.cache.cache import hash_file
from perfboard.host.files.scratch import scratch_folder
from perfboard.images.network import FAR_END
from perfboard.images.packages.root import LARGE_BLOCKS
from perfboard.images.program.base import ProgramJob, check_job, has_little_memory, read_ahead
from perfboard.images.program.codecs import codec_part
from perfboard.images.variant import Variant
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.results.boot import Boot
from perfboard.model.run import Evidence
from perfboard.probes.session import Session
from perfboard.store.recording import Subject
from perfboard.targets.base import Shell, Target
from perfboard.targets.serial.boot import SerialBoard
from perfboard.targets.virtual.program import TrialTarget
from perfboard.targets.virtual.target import Emulation

# In a trial's root file system (native/probe/run/run_root.c).
_PROBE = "/perfboard/probe"
_READS_LITTLE = (
    "Programs are read from the disk by {} KiB at once, and not by the kernel's 128: memory is "
    "short there, and the rest would be dropped before it is wanted."
)
# In KiB; a kernel's own is LARGE_BLOCKS.
_READ_AHEAD = "/sys/block/pbd/queue/read_ahead_kb"


class VirtualBench:
    """A virtual board, which is booted anew for each job."""

    def __init__(
        self,
        text: str,
        loaded: LoadedBoard,
        factors: Mapping[str, str],
        options: BenchOptions,
        lab: Lab,
        artifacts: Path,
    ) -> None:
        """`text` names the target, and `factors` are the user's levels.

        Raises UsageError for one that the board lacks.
        """
        self._text = text
        self._loaded, self._factors, self._options = loaded, factors, options
        self._variant = choose(loaded, factors)
        self._lab, self._artifacts = lab, artifacts
        self._emulator = lab.emulator(loaded.board.machine.emulator)
        # The hash of the jobs' kernel, and the board's own images by their levels.
        self._jobs_kernel: dict[str, str] = {}
        self._images: dict[tuple[tuple[str, str], ...], ImageBoots] = {}
        self._packages: dict[str, str] = {}
        self._notes: dict[str, None] = {}
        self._booted = 0
        self._probed: Target | None = None
        self._probe_facts: dict[str, str] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        of_images = (note for image in self._images.values() for note in image.notes)
        of_board = Emulation(self._variant).notes()
        return tuple(dict.fromkeys((*of_images, *self._notes, *of_board)))

    @property
    def facts(self) -> KnownFacts:
        board = self._variant.board
        lacks = board.timing.lacks.kinds if board.timing and board.timing.lacks else ()
        # NEON by that name is ARM's, in 32 bits.
        foreign = () if board.machine.architecture.isa == "arm" else ("neon",)
        evidence = Emulation(self._variant).evidence
        return KnownFacts(
            evidence,
            exact=True,
            repeats=1,
            ram=board.machine.ram,
            sold_ram=board.sold.memory if board.sold else 0,
            gpu=board.gpu,
            architecture=board.machine.architecture.name,
            lacks=frozenset((*lacks, *foreign)),
            published=published_at(self._variant) if evidence is Evidence.TIMED else (),
            power=board.power,
            boot_budget_s=board.boot.budget_s,
            has_model=board.timing is not None,
            framebuffer=board.screen,
        )

    def prepare(self, jobs: Sequence[Job], *, boots: bool = False) -> None:
        if boots:
            self._image({})
        # Without a card of ours, the jobs that talk are refused.
        has_card = self._loaded.board.network and self._factors.get("network") != "instant"
        if has_card and any(job.pages or job.network for job in jobs):
            self._variant = with_own_card(self._loaded, self._factors)
        features = sorted({feature for job in jobs for feature in job.features})
        # It takes long where it is not in the cache: not in a job's time.
        self._lab.scope(self._loaded.board, self._lab.progress)
        self._variant = with_features(self._variant, features)

    def boots(self, levels: Mapping[str, str], count: int) -> Iterator[Boot]:
        first, self._booted = self._booted + 1, self._booted + count
        yield from self._image(levels).boots(count, first, self._artifacts)

    def line(self) -> AbstractContextManager[SerialBoard]:
        raise NotMeasurable("a virtual board is on no line: it is given its images by their levels")

    def boot_findings(self, boots: Sequence[Boot]) -> BootFindings:
        return self._image({}).findings(boots)

    def _image(self, levels: Mapping[str, str]) -> ImageBoots:
        """The board's own image at these levels in place of the user's, built once."""
        key = tuple(sorted(levels.items()))
        if key not in self._images:
            variant = choose(self._loaded, {**self._factors, **levels})
            functions = self._options.functions
            self._images[key] = ImageBoots(variant, self._lab, functions=functions)
        return self._images[key]

    @contextmanager
    def probe(self) -> Iterator[Session]:
        lab = self._lab
        with (
            lab.open(self._text, lab.progress, self._artifacts, self._factors) as self._probed,
            lab.probe(self._probed, lab.progress) as session,
        ):
            self._notes |= dict.fromkeys(self._probed.notes)
            yield session

    def learn(self, session: Session, facts: Mapping[str, str]) -> None:
        self._probe_facts = dict(facts)

    @contextmanager
    def shell(self) -> Iterator[Shell]:
        raise NotMeasurable("a virtual board has no files of its own to look at")
        yield

    def check_ends(self, senders: Sequence[str], address: str, *, mine: bool) -> None:
        if tuple(senders) != ("local",) or address:
            raise UsageError("--sender, --address: a virtual board is asked by its own far end")
        with_own_card(self._loaded, self._factors)

    @contextmanager
    def ends(self, senders: Sequence[str], address: str, *, mine: bool) -> Iterator[Ends]:
        """See `Bench`. The far end of its network asks, at no cost to it. Raises BoardLacks."""
        check_ethernet(self._loaded.board)
        self.check_ends(senders, address, mine=mine)
        self._variant = with_own_card(self._loaded, self._factors)
        with booted(self._variant, self._lab, self._artifacts) as (ends, base):
            self._packages |= base.packages
            self._jobs_kernel = {"kernel": hash_file(base.kernel)}
            yield ends

    @contextmanager
    def talk(self, run: Callable[[Job], str]) -> Iterator[Talk]:
        yield talk_from(self._variant.board, run)

    def subject(self) -> Subject:
        """See `Bench`. The image is the one that booted, if one did; jobs have another kernel."""
        board = self._variant.board
        booted, probed = next(iter(self._images.values()), None), self._probed
        levels = {name: self._variant.levels[name] for name in trial_factors(board)}
        image, packages = self._jobs_kernel, self._packages
        if booted is not None or probed is not None:
            image = {f"{name} of jobs": value for name, value in image.items()}
        if probed is not None:
            levels = dict(probed.factors)
            image, packages = {**probed.image, **image}, {**probed.packages, **packages}
        if booted is not None:
            levels = dict(booted.variant.levels)
            image = {**booted.image.hashes, **image}
            packages = {**booted.image.packages, **packages}
        emulation = Emulation(booted.variant if booted else self._variant)
        summary = emulation.summary()
        return Subject(
            summary.model_copy(update={"facts": {**self._probe_facts, **summary.facts}}),
            self._text,
            emulation.evidence,
            levels=levels,
            perturbed=perturbations(levels),
            tools={board.machine.emulator: self._emulator},
            image=image,
            packages=packages,
        )

    def run(self, name: str, job: Job, notify: Notify) -> str:
        lab, variant = self._lab, with_features(self._variant, job.features)
        check_has(job, variant.board)
        artifacts = self._artifacts / name
        with scratch_folder() as folder:
            program, notes = self._program(job, variant, folder)
            check_job(program, variant.board)
            base = lab.prepare(variant, program, lab.progress)
            self._packages |= base.packages
            self._jobs_kernel = {"kernel": hash_file(base.kernel)}
            lacks = variant.board.timing.lacks if variant.board.timing else None
            beyond = bool(job.own and lacks and lacks.kinds)
            target = TrialTarget(variant, base, program, beyond=beyond)
            artifacts.mkdir(parents=True)
            try:
                results = lab.try_out(
                    target,
                    self._plugin(job),
                    artifacts,
                    lambda now_ns, began_ns: notify(max(0, now_ns - began_ns) / 1e9),
                    Event(),
                )
            except TargetError as error:
                raise NotMeasurable(f"the board failed: {error}") from error
            refuse_lacking(job, folder, target, artifacts)
        notes += [*base.notes, *target.notes(), *lacked(target, name, artifacts)]
        self._notes |= dict.fromkeys(notes)
        output = output_of(job, results, artifacts)
        return with_screen(output, artifacts, job)

    def _program(self, job: Job, variant: Variant, folder: Path) -> tuple[ProgramJob, list[str]]:
        """The program of the board, whose files go to the folder, and notes on it."""
        lab, board = self._lab, variant.board
        scope = "scope" if job.screen else ""
        script = f"SCOPE={scope} PROBE={_PROBE}; export PROBE\n{whole_script(job)}"
        built, notes = self._build_codecs(job)
        if built:
            script = f"{FOUND}{script}"
        ahead = read_ahead(board) if board.disk and job.from_disk else LARGE_BLOCKS
        if ahead != LARGE_BLOCKS:
            script = f"echo {ahead} > {_READ_AHEAD}\n{script}"
            notes.append(_READS_LITTLE.format(ahead))
        files = {**job.files, **built}
        authority = lab.kept_authority(FAR_END, lab.progress) if job.secure else None
        if authority:
            files[AUTHORITY] = authority.certificate.read_bytes()
            script = f"CA={authority.name}\n{script}"
        if job.display:
            arch = board.machine.architecture.probe
            files[WATCHER] = find_binary(arch, lab.progress, "display").read_bytes()
            files |= toolkit_program(job, arch, lab)
        files[SCRIPT] = script.encode()
        pages = folder / "pages"
        pages.mkdir()
        for place, named in ((folder, files), (pages, job.pages)):
            for file, data in named.items():
                (place / file).write_bytes(data)
        for file in files:
            (folder / file).chmod(0o700)
        pushed = [folder / file for file in files]
        if HOME in files and has_little_memory(board):
            # Unpacked there, it would take of the board's memory, all of it.
            pushed[pushed.index(folder / HOME)] = unpack_home(folder / HOME, folder / "home")
        program = ProgramJob(
            command=("sh", SCRIPT),
            packages=tuple(n for n in job.packages if not built or n not in job.codecs),
            without=job.without,
            files=tuple(pushed),
            limit_s=job.limit_s,
            from_disk=job.from_disk,
            screen=job.screen is not None,
            framebuffer=job.framebuffer,
            pages=pages if job.pages else None,
            authority=authority.certificate.parent if authority else None,
        )
        return program, notes

    def _plugin(self, job: Job) -> Path:
        """The scope, with TLS for the job that serves pages over it."""
        words = (True,) if job.secure else ()
        return self._lab.scope(self._variant.board, self._lab.progress, *words)

    def _build_codecs(self, job: Job) -> tuple[dict[str, bytes], list[str]]:
        """The programs that the board's part has instructions for, and notes on their build."""
        part = codec_part(self._variant.board)
        return codec_programs(job, part, self._lab) if part else ({}, [])
