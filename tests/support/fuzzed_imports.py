# SPDX-License-Identifier: Apache-2.0
"""Mutated files through `perfboard import` and the commands on runs, and what is wrong of it."""

import contextlib
import gzip
import io
import json
import random
import re
import resource
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, NoReturn

from perfboard.importers.choose import importers
from perfboard.model.results.boot import BootResult
from perfboard.report.export.formats import FORMATS, OF_GUIDES
from perfboard.store.folder import finished_folders, runs_folder
from perfboard.store.reading import load_run
from tests.support.boots import hold
from tests.support.command import call
from tests.support.damaged_files import Sample, damaged, samples
from tests.support.import_cases import NAMES, expected, given_file
from tests.support.mutated_lines import mutated_lines
from tests.support.recorded import DATA

RIGHT_CODES = (0, 2, 3, 4, 5)
_MADE = (0, 4, 5)
# Processor time that no small file may take, in s.
_LONGEST_S = 20
_NO_FIGURE = re.compile(r"(?<![\w.-])-?(?:nan|inf)(?![\w-])")
# Python shows these to developers alone.
_HIDDEN = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
_JSON = ("json", "perfetto", "googlebenchmark", "bencher", "kcidb")
_STATED = ("--evidence", "silicon")
_USABLE = ("login:", "crng init done", "nothing like it", "^$", ".")


class GivenFile(NamedTuple):
    """A whole file, the words that it is imported with, and whether its lines are text."""

    name: str
    sample: Sample
    words: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether its lines may be damaged one by one."""
        return self.sample.pack is bytes and b"\0" not in self.sample.data


@dataclass
class Answer:
    """A command's exit code, its standard output and error, and its processor time in s."""

    words: Sequence[str]
    code: int
    out: str
    err: str
    took_s: float

    def faults(self, codes: Sequence[int] = (0,)) -> Iterator[str]:
        """What is wrong of it, whatever it was about, in words."""
        of = " ".join([self.words[0], self.words[-1]])
        if self.code not in codes:
            yield f"{of}: exit {self.code}: {self.err[-2000:]}"
        for word in ("Traceback", "Warning:"):
            if word in self.err or "Traceback (most" in self.out:
                yield f"{of}: {word}: {self.err[-2000:]}"
        if self.code in (2, 3) and not self.err.startswith("perfboard: "):
            yield f"{of}: no sentence: {self.err[-300:]}"
        if self.took_s > _LONGEST_S:
            yield f"{of}: took {self.took_s:.0f} s of processor time"


@dataclass
class Trial:
    """A mutated file, its exit code, and what is wrong of it."""

    seed: int
    code: int = 0
    took_s: float = 0.0
    faults: list[str] = field(default_factory=list)


def whole_files() -> list[GivenFile]:
    """The files of tests/data/import, each case with its words, and captures and archives."""
    found = [
        GivenFile(path.name, Sample(path.read_bytes()))
        for path in sorted((DATA / "import").rglob("*"))
        if path.is_file() and path.name != "expect.json" and path.suffix != ".md"
    ]
    for case in NAMES:
        expect = expected(case)
        words = tuple(word for word in expect.get("args", []) if word != "-")
        if words and words[0][:2] == "--":
            path = given_file(case, expect)
            found.append(GivenFile(path.name, Sample(path.read_bytes()), words))
    for form, of_form in samples().items():
        found += [GivenFile(f"{form}.bin", sample, ("--volts", "5")) for sample in of_form]
    return found


def try_file(
    seed: int, files: Sequence[GivenFile], folder: Path, *, everything: bool, process: bool
) -> Trial:
    """Imports a mutated file, and looks at the run with `everything` that looks at runs.

    `process`: by commands in processes of their own. The runs are removed.
    """
    chance = random.Random(seed)
    given = chance.choice(files)
    texts = [each.sample.data for each in files if each.is_text]
    if given.is_text and chance.random() < 0.5:
        data = mutated_lines(chance, given.sample.data, texts)
    else:
        data = damaged(chance, given.sample)
    packs = chance.random() < 0.1
    path = folder / (f"{given.name}.gz" if packs else given.name)
    path.write_bytes(gzip.compress(data, 1) if packs else data)
    words = ["import", str(path), *given.words, *_options(chance), *_STATED]
    if chance.random() < 0.1:
        other = chance.choice(files)
        second = folder / f"other-{other.name}"
        second.write_bytes(other.sample.pack(other.sample.data))
        words.insert(2, str(second))
    trial = Trial(seed)
    ask = _by_process if process else by_main
    answer = ask(words)
    trial.code, trial.took_s = answer.code, answer.took_s
    trial.faults += answer.faults(RIGHT_CODES)
    runs = finished_folders()
    if len(runs) != (answer.code in _MADE):
        trial.faults.append(f"exit {answer.code} with {len(runs)} runs")
    for run in runs:
        trial.faults += run_faults(run, answer)
        if everything:
            (folder / "whole").mkdir(exist_ok=True)
            whole = folder / "whole" / given.name
            whole.write_bytes(given.sample.pack(given.sample.data))
            trial.faults += _looks(run, ask, (str(whole), *given.words))
    for one in folder.glob("*.*"):
        one.unlink()
    shutil.rmtree(runs_folder(), ignore_errors=True)
    return trial


def _options(chance: random.Random) -> Iterator[str]:
    if chance.random() < 0.2:
        yield from ("--usable", chance.choice(_USABLE))
    if chance.random() < 0.1:
        yield from ("--as", chance.choice([*importers()]))
    if chance.random() < 0.1:
        yield "--json"


def by_main(words: Sequence[str]) -> Answer:
    """A command in this process, with the warnings that it would print."""
    streams = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(stream, "utf-8", write_through=True) for stream in streams)
    began = time.process_time()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(record=True) as shown,
    ):
        warnings.simplefilter("always")
        code = call(*words)
    said = [
        f"{each.filename}:{each.lineno}: {each.category.__name__}: {each.message}"
        for each in shown
        if not issubclass(each.category, _HIDDEN)
    ]
    took_s = time.process_time() - began
    texts = [stream.getvalue().decode() for stream in streams]
    return Answer(words, code, texts[0], "\n".join([texts[1], *said]), took_s)


def _by_process(words: Sequence[str]) -> Answer:
    """A command as a user gives it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        [sys.executable, "-m", "perfboard.cli.main", *words], capture_output=True, check=False
    )
    took_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return Answer(words, done.returncode, done.stdout.decode(), done.stderr.decode(), took_s)


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _json_faults(text: str, of: str) -> Iterator[str]:
    try:
        json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        yield f"{of}: {error}"


def run_faults(folder: Path, answer: Answer) -> Iterator[str]:
    """What is wrong of the stored run and its page."""
    yield from _json_faults((folder / "run.json").read_text(), "run.json")
    if "--json" in answer.words:
        yield from _json_faults(answer.out, "import --json")
    run = load_run(folder)
    for metric in run.metrics:
        least = min(metric.samples) if metric.samples else (metric.between or (0.0, None))[0]
        most = metric.between[1] if metric.between else None
        if metric.name.startswith("boot.") and least < 0:
            yield f"{metric.name} is {least}"
        if most is not None and most < least:
            yield f"{metric.name} lies between {metric.between}"
    for result in run.results_of(BootResult):
        for boot in result.boots:
            try:
                hold(boot)
            except AssertionError as error:
                yield f"a boot contradicts itself: {str(error)[:500] or error!r}"
    page = re.sub(r"<script.*?</script>|<style.*?</style>", "", _page(folder), flags=re.DOTALL)
    if match := _NO_FIGURE.search(page):
        yield f"report.html: {page[max(0, match.start() - 60) : match.end() + 20]}"


def _page(folder: Path) -> str:
    return (folder / "report.html").read_text()


def _looks(
    run: Path, ask: Callable[[Sequence[str]], Answer], whole: Sequence[str]
) -> Iterator[str]:
    """What is wrong of the commands that look at the run, and compare it with that of a file."""
    for asked in (["show", run.name], ["show", run.name, "--json"], ["report", run.name]):
        answer = ask(asked)
        yield from answer.faults()
        if "--json" in asked:
            yield from _json_faults(answer.out, "show --json")
        elif match := _NO_FIGURE.search(answer.out):
            yield f"show: {answer.out[max(0, match.start() - 60) : match.end() + 20]}"
    for form in FORMATS.keys() - OF_GUIDES:
        answer = ask(["export", run.name, "--format", form])
        yield from answer.faults()
        if form in _JSON and answer.code == 0:
            yield from _json_faults(answer.out, f"export {form}")
    ask(["import", *whole, "--name", "whole", *_STATED])
    for other in finished_folders():
        # One without a metric is compared with nothing.
        yield from ask(["compare", run.name, other.name]).faults((0, 2))
