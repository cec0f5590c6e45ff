# SPDX-License-Identifier: Apache-2.0
"""A board with a shell."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from perfboard.bench.base import BootFindings, Facts, Notify
from perfboard.bench.boot.line import LineBoots
from perfboard.bench.job import AUTHORITY, Job, NotMeasurable
from perfboard.bench.lab import Lab
from perfboard.bench.live_facts import LiveFacts
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.bench.script import (
    FOUND,
    SCRIPT,
    WATCHER,
    codec_programs,
    ended,
    toolkit_program,
    whole_script,
)
from perfboard.bench.talk.address import address_of, check_own
from perfboard.bench.talk.ends import Ends, prepared
from perfboard.bench.talk.tcp import Talk, talk_to
from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.binaries.tls import secure_watcher
from perfboard.host.files.scratch import scratch_folder
from perfboard.images.network import tls_source
from perfboard.model.errors import EnvironmentLacksError, PerfboardError, TargetError, UsageError
from perfboard.model.results.boot import Boot
from perfboard.probes.session import Session
from perfboard.store.recording import Subject
from perfboard.targets.base import Shell, Target
from perfboard.targets.folder import new_name, working_folder
from perfboard.targets.pipe import local, ssh
from perfboard.targets.serial.boot import SerialBoard
from perfboard.targets.wired import SCHEMES

_PROBE = "perfboard-probe"


# Facts of the probe system.facts that name a board: the first one that is there.
NAMING_FACTS = ("board", "product", "processor")


def _load_notes(loads: Sequence[float]) -> Iterator[str]:
    """How busy others kept the target; at the end the run's own work is in it too."""
    if loads:
        last = f", and {loads[-1]:.2f} when it ended, with its own work" if loads[1:] else ""
        yield f"The target's load average of a minute was {loads[0]:.2f} when the run began{last}."


class LiveBench:
    """A target with a shell; each job has a folder there, which is removed after it."""

    facts: Facts

    def __init__(self, request: Request, options: BenchOptions, lab: Lab, artifacts: Path) -> None:
        """Nothing is opened yet."""
        self._request, self._options, self._lab = request, options, lab
        self._artifacts = artifacts
        self._shell = ExitStack()
        self._open: Target | None = None
        self._subject: Subject | None = None
        self._line: LineBoots | None = None
        self._booted = 0
        self._notes: dict[str, None] = {}
        # Others' programs and ours, at the first look and at the last.
        self._loads: list[float] = []
        self.facts = LiveFacts(self._target)

    def _target(self) -> Target:
        """The target with its shell, which is opened when it is first needed."""
        if self._open is None:
            request, progress = self._request, self._lab.progress
            self._open = self._shell.enter_context(
                self._lab.open(request.target, progress, self._artifacts, request.factors)
            )
            self._subject = self._subject or request.subject_of(self._open)
            self._notes |= dict.fromkeys(self._open.notes)
            self._look()
        return self._open

    def _look(self) -> None:
        """Keeps the target's load, the mean of a minute, if its kernel says it."""
        # One that was lost since says nothing any more, and has its figures.
        with suppress(PerfboardError, ValueError, IndexError):
            answer = self._target().shell.run("cat /proc/loadavg 2> /dev/null", timeout_s=5)
            self._loads.append(float(answer.output.split()[0]))

    def close(self) -> None:
        """Lets go of the target."""
        self._open = None
        self._shell.close()

    @property
    def notes(self) -> tuple[str, ...]:
        line = self._line.notes if self._line else ()
        return tuple(dict.fromkeys((*self._notes, *_load_notes(self._loads), *line)))

    def subject(self) -> Subject:
        """See `Bench`. A board that booted has told more of itself than its shell does."""
        if self._line is not None:
            return self._line.subject()
        if self._subject is None:
            self._target()
        assert self._subject is not None  # noqa: S101 - who opens the target sets it
        return self._subject

    def prepare(self, jobs: Sequence[Job], *, boots: bool = False) -> None:
        if boots and self._request.target.partition(":")[0] in SCHEMES:
            self._on_line()
        if not jobs:
            return
        wanted = max((job.disk + sum(map(len, job.files.values())) for job in jobs), default=0)
        shell = self._target().shell
        with working_folder(shell) as folder:
            place = folder.rpartition("/")[0]
            words = shell.run(f"df -Pk {folder} | tail -n 1").output.split()
        free = int(words[3]) * 1024 if len(words) > 3 and words[3].isdigit() else wanted
        if free < wanted:
            raise UsageError(
                f"{place} of the target has {free / 1e6:.0f} MB free, and the measures need "
                f"{wanted / 1e6:.0f} MB; make room there, set TMPDIR there to a folder with more, "
                "or measure what needs less"
            )

    def _on_line(self) -> LineBoots:
        """The board's boots by its line, which its shell lets go of."""
        if self._request.target.partition(":")[0] not in SCHEMES:
            raise NotMeasurable(
                "a running system is not booted: that needs its console, on --target "
                "serial:///dev/NAME or labgrid://PLACE"
            )
        self.close()
        if self._line is None:
            self._line = LineBoots(self._request, self._options, self._lab)
        return self._line

    def boots(self, levels: Mapping[str, str], count: int) -> Iterator[Boot]:
        line = self._on_line()
        if levels:
            raise NotMeasurable("its image is as it is; a virtual board's can be changed")
        first, self._booted = self._booted + 1, self._booted + count
        yield from line.boots(count, first, self._artifacts)

    def line(self) -> AbstractContextManager[SerialBoard]:
        return self._on_line().board()

    def boot_findings(self, boots: Sequence[Boot]) -> BootFindings:
        return self._line.findings(boots) if self._line else BootFindings()

    @contextmanager
    def probe(self) -> Iterator[Session]:
        with self._lab.probe(self._target(), self._lab.progress) as session:
            yield session
        self._look()

    @contextmanager
    def shell(self) -> Iterator[Shell]:
        yield self._target().shell

    def learn(self, session: Session, facts: Mapping[str, str]) -> None:
        subject = self.subject()
        named = next((facts[name] for name in NAMING_FACTS if name in facts), session.machine)
        summary = self._request.summary(
            named,
            f"A machine that calls itself {session.machine}, measured by the probe for "
            f"{session.arch}.",
            facts,
        )
        self._subject = replace(subject, board=self._target().board or summary)

    def check_ends(self, senders: Sequence[str], address: str, *, mine: bool) -> None:
        self._address(senders, address, mine)

    def _address(self, senders: Sequence[str], address: str, mine: bool) -> str:
        """The address to ask. Raises UsageError for one, or a sender, that may not be used."""
        for name in senders:
            if name.partition(":")[0] not in (local.SCHEME, ssh.SCHEME):
                raise UsageError(f"--sender {name}: give {local.FORM} or {ssh.FORM}")
        asked = address_of(self._request.target, address, mine)
        check_own(self._target(), asked)
        return asked

    @contextmanager
    def ends(self, senders: Sequence[str], address: str, *, mine: bool) -> Iterator[Ends]:
        asked = self._address(senders, address, mine)
        lab = self._lab
        with ExitStack() as stack:
            device = stack.enter_context(prepared(self._target(), lab.progress))
            others = []
            for name in senders:
                own = stack.enter_context(lab.open(name, lab.progress, None, {}))
                others.append(stack.enter_context(prepared(own, lab.progress)))
            yield Ends(device, tuple(others), asked)
            self._look()

    def talk(self, run: Callable[[Job], str]) -> AbstractContextManager[Talk]:
        return talk_to(self._target())

    def run(self, name: str, job: Job, notify: Notify) -> str:
        shell, progress = self._target().shell, self._lab.progress
        machine = shell.run("uname -m").output.strip()
        arch = self._target().probe or architecture_of(machine)
        probe = find_binary(arch, progress).read_bytes()
        with working_folder(shell) as folder:
            built = self._build_codecs(job, arch)
            script = f"{FOUND if built else ''}{whole_script(job)}"
            files = {**job.files, **built, _PROBE: probe, SCRIPT: script.encode()}
            if job.secure:
                files |= self._secured(arch, script)
            elif job.display:
                files[WATCHER] = find_binary(arch, progress, "display").read_bytes()
            files |= toolkit_program(job, arch, self._lab)
            for name, data in files.items():
                shell.push(data, f"{folder}/{name}", progress)
            script = (
                f"cd {folder} && OWN={new_name()} PROBE=./{_PROBE} && export PROBE && . ./{SCRIPT}"
            )
            try:
                done = shell.run(script, timeout_s=job.limit_s)
            except TargetError as error:
                if error.kind != "hang":
                    raise
                raise NotMeasurable(f"it has not ended after {job.limit_s:.0f} s") from error
        self._look()
        return ended(job, done.output, done.errors, done.status)

    def _secured(self, arch: str, script: str) -> dict[str, bytes]:
        """A watcher that serves over TLS, its certificates, and the script with the authority."""
        progress = self._lab.progress
        with scratch_folder() as folder:
            try:
                authority = self._lab.authority(folder, "127.0.0.1")
                watcher = secure_watcher(arch, tls_source(progress), progress)
            except EnvironmentLacksError as error:
                raise NotMeasurable(f"no page can be served over TLS: {error}") from error
            own = (authority.server_certificate, authority.server_key)
            return {
                AUTHORITY: authority.certificate.read_bytes(),
                **{path.name: path.read_bytes() for path in own},
                WATCHER: watcher.read_bytes(),
                SCRIPT: f"CA={authority.name}\n{script}".encode(),
            }

    def _build_codecs(self, job: Job, arch: str) -> dict[str, bytes]:
        """The codecs' programs that the target lacks."""
        if not job.codecs:
            return {}
        looks = "; ".join(f"command -v {name}" for name in job.programs)
        if len(self._target().shell.run(looks).output.split()) == len(job.programs):
            return {}
        try:
            programs, notes = codec_programs(job, arch, self._lab)
        except EnvironmentLacksError as error:
            names = " and ".join(job.programs)
            raise NotMeasurable(f"the target has no {names}; to build it: {error}") from error
        self._notes |= dict.fromkeys(notes)
        return programs
