# SPDX-License-Identifier: Apache-2.0
"""The outcome of a job that a virtual board ran."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from perfboard.analysis.program.metrics import how_often, instants, ran
from perfboard.bench.display.screen import completed
from perfboard.bench.job import BoardFailed, Job, NotMeasurable
from perfboard.bench.script import ended
from perfboard.bench.served import with_served
from perfboard.images.program.code import CodePages
from perfboard.instruments.scope import BEYOND, pages_served
from perfboard.instruments.screen import SCREEN
from perfboard.model.text import printable
from perfboard.model.timing.lacks import KINDS
from perfboard.targets.virtual.program import MARK, ProgramResults, TrialTarget

_KILLED = re.compile(r"Killed process \d{1,10} \(([^()\n]{1,15})\)")


def output_of(job: Job, results: ProgramResults, artifacts: Path) -> str:
    """The output of the job's script. Raises NotMeasurable, BoardFailed."""
    if results.late:
        raise NotMeasurable(f"it has not ended after {job.limit_s:.0f} s of the board's time")
    if results.oom_kills:
        console = (artifacts / "console.log").read_text(errors="replace")
        raise BoardFailed(f"the board's memory ended, and its kernel killed {killed_in(console)}")
    output, errors = (part.decode(errors="replace") for part in (results.stdout, results.stderr))
    return ended(job, output, errors, results.exit_code or 0)


def lacked(target: TrialTarget, name: str, artifacts: Path) -> Iterator[str]:
    """The note on how often instructions ran that the part lacks, if it lacks some."""
    marks = instants((artifacts / "scope.jsonl").read_text(), MARK)
    lacks = target.lacks if target.timed and len(marks) > 1 else None
    if lacks and (counts := ran(marks[0], marks[1], lacks.kinds)):
        yield f"{name}: instructions that the part lacks ran {how_often(counts)}."


def refuse_lacking(job: Job, files: Path, target: TrialTarget, artifacts: Path) -> None:
    """Raises NotMeasurable if a program of the user's ran instructions that the part lacks.

    The real board would have ended it there. `files` is the folder that has it. Debian's
    programs do not count: the real board has others in their place.
    """
    record = artifacts / BEYOND
    if target.lacks is None or not record.exists():
        return
    pages = CodePages({name: files / name for name in job.own})
    ran: dict[str, Counter[str]] = {}
    for line in record.read_text().splitlines():
        block = json.loads(line)
        if (found := pages.find(block["page"], block["address"])) is not None:
            ran.setdefault(found[0], Counter()).update(block["ran"])
    for name, counts in ran.items():
        own: dict[str, int] = {kind: counts[kind] for kind in target.lacks.kinds if counts[kind]}
        if own:
            kinds = " and ".join(KINDS[kind] for kind in own)
            raise NotMeasurable(
                f"it uses {kinds}, which the part lacks ({name} ran them {how_often(own)}); "
                "compile it for the part"
            )


def killed_in(console: str) -> str:
    """The programs that the kernel killed for lack of memory, by the words of its console."""
    names = dict.fromkeys(_KILLED.findall(console))
    return printable(" and ".join(names)) or "a program"


def with_screen(output: str, artifacts: Path, job: Job) -> str:
    """The output of a job with a screen, completed with what the scope saw.

    The scope's record is removed, as it is large. Raises NotMeasurable.
    """
    if job.screen is None:
        return output
    bits = 16 if job.framebuffer else 32
    try:
        shown = completed(output, artifacts / SCREEN, *job.screen, bits)
        return with_served(shown, pages_served(artifacts))
    except (OSError, ValueError) as error:
        raise NotMeasurable(f"the scope's record: {error}") from error
    finally:
        (artifacts / SCREEN).unlink(missing_ok=True)
