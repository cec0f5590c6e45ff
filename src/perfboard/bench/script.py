# SPDX-License-Identifier: Apache-2.0
"""The scripts of a job, as every bench gives them to its board."""

import re

from perfboard.bench.job import NotMeasurable, Work, check_ended
from perfboard.bench.lab import Lab
from perfboard.images.program.toolkits import PROGRAM
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.text import printable

SCRIPT = "work.sh"


WATCHER = "perfboard-display"


# The line of a script that lets it find the programs beside it.
FOUND = 'PATH="$(pwd):$PATH"\n'


_LAST = 400


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
