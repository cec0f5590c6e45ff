# SPDX-License-Identifier: Apache-2.0
"""Runs workloads on a target with a shell."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from perfboard.bench.base import Notify
from perfboard.bench.job import AUTHORITY, NotMeasurable, Work
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
from perfboard.bench.served import PageServer, serving, with_served
from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.host.scratch import scratch_folder
from perfboard.model.errors import EnvironmentLacksError, TargetError, UsageError
from perfboard.store.recording import Subject
from perfboard.targets.base import Target
from perfboard.targets.folder import working_folder
from perfboard.targets.pipe import local

_PROBE = "perfboard-probe"


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
            script = f"{FOUND if built else ''}{whole_script(work)}"
            files = {**work.files, **built, _PROBE: probe, SCRIPT: script.encode()}
            served = stack.enter_context(self._serving(work, files)) if work.secure else None
            if work.display:
                files[WATCHER] = find_binary(arch, progress, "display").read_bytes()
            files |= toolkit_program(work, arch, self._lab)
            for name, data in files.items():
                shell.push(data, f"{folder}/{name}", progress)
            script = f"cd {folder} && PROBE=./{_PROBE} && export PROBE && . ./{SCRIPT}"
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
                    SCRIPT: f"PORT={server.port} CA={authority.name}\n".encode() + files[SCRIPT],
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
            programs, notes = codec_programs(work, arch, self._lab)
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


def _size(work: Work) -> int:
    """The bytes that it puts on the target and writes there."""
    return work.data + sum(map(len, work.files.values()))
