# SPDX-License-Identifier: Apache-2.0
"""The scripts of a job, as every bench gives them to its board."""

from typing import Literal

from perfboard.bench.job import Job, NotMeasurable, check_ended
from perfboard.bench.lab import Lab
from perfboard.images.program.toolkits import PROGRAM
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.rows import Row, Text, read_rows
from perfboard.model.text import printable

SCRIPT = "work.sh"


WATCHER = "perfboard-display"


# The line of a script that lets it find the programs next to it.
FOUND = 'PATH="$(pwd):$PATH"\n'


_LAST = 400


class _MissingRow(Row):
    row: Literal["missing"]
    programs: Text


def codec_programs(job: Job, part: str, lab: Lab) -> tuple[dict[str, bytes], list[str]]:
    """The programs of the job's codecs for that part, and notes on their build."""
    codecs = [lab.codec(name, part, lab.progress) for name in job.codecs.values()]
    programs = {name: path.read_bytes() for one in codecs for name, path in one.programs.items()}
    return programs, [one.words for one in codecs]


def toolkit_program(job: Job, arch: str, lab: Lab) -> dict[str, bytes]:
    """The program of the job's toolkit, if it has one. Raises NotMeasurable."""
    if not job.toolkit:
        return {}
    try:
        return {PROGRAM: lab.toolkit(job.toolkit, arch, lab.progress).read_bytes()}
    except EnvironmentLacksError as error:
        raise NotMeasurable(f"the program of {job.toolkit} cannot be had: {error}") from error


def whole_script(job: Job) -> str:
    """The script, which first looks for its programs."""
    names = " ".join(job.programs)
    look = 'command -v "$name" > /dev/null || lacks="$lacks $name"'
    says = '[ -z "$lacks" ] || { "$PROBE" say missing programs="$lacks"; exit 0; }'
    return f"lacks=; for name in {names}; do {look}; done; {says}\n{job.script}"


def ended(job: Job, output: str, errors: str, status: int) -> str:
    """The output of the job's script. Raises NotMeasurable, BoardFailed."""
    check_ended("its script", status, printable(" ".join((errors or output).split())[-_LAST:]))
    for row in read_rows(output, _MissingRow):
        names = " and no ".join(row.programs.split())
        packages = " ".join(job.packages)
        where = f"on Debian, install {packages} there" if packages else "install it there"
        raise NotMeasurable(f"the target has no {names}; {where}")
    return output
