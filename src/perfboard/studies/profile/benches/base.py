# SPDX-License-Identifier: Apache-2.0
"""The protocol of what runs workloads, and what both kinds of it give a script."""

import re
from collections.abc import Callable
from typing import Protocol

from perfboard.images.program.toolkits import PROGRAM
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Step
from perfboard.model.text import printable
from perfboard.store.recording import Subject
from perfboard.studies.lab import Lab
from perfboard.studies.profile.workloads.base import NotMeasurable, Work, check_ended

SCRIPT = "work.sh"
WATCHER = "perfboard-display"
# The line of a script that lets it find the programs beside it.
FOUND = 'PATH="$(pwd):$PATH"\n'
_LAST = 400

# The board's time so far, in s.
Notify = Callable[[float], None]


def shown(step: Step) -> Notify:
    """Tells it how long the board has run: nobody knows how long it will."""
    return lambda now_s: step.update(now_s, f"{now_s:.0f} s of the board's time")


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


def codec_programs(work: Work, part: str, lab: Lab) -> tuple[dict[str, bytes], list[str]]:
    """The programs of the work's codecs for that part, and notes on their build."""
    codecs = [lab.codec(name, part, lab.progress) for name in work.codecs.values()]
    programs = {name: path.read_bytes() for one in codecs for name, path in one.programs.items()}
    return programs, [one.words for one in codecs]


def toolkit_program(work: Work, arch: str, lab: Lab) -> dict[str, bytes]:
    """The program of the work's toolkit, if it has one. Raises NotMeasurable."""
    if not work.toolkit:
        return {}
    try:
        return {PROGRAM: lab.toolkit(work.toolkit, arch, lab.progress).read_bytes()}
    except EnvironmentLacksError as error:
        raise NotMeasurable(f"the program of {work.toolkit} cannot be had: {error}") from error


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
