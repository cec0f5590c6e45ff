# SPDX-License-Identifier: Apache-2.0
"""`perfboard try`: a program's time on a board that is not here."""

import argparse
import fcntl
import sys
import termios
from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TextIO

from perfboard.bench.lab import Lab
from perfboard.cli.lab import lab_of
from perfboard.cli.options import options_from
from perfboard.cli.words import parse_factors, print_json
from perfboard.images.program.base import ProgramJob
from perfboard.model.errors import EXIT_INTERRUPTED, UsageError, exit_code_of
from perfboard.model.results.program import ProgramResult
from perfboard.model.run import Run, Status
from perfboard.model.text import printable
from perfboard.report.compared import write_comparison
from perfboard.report.sections.program.section import program_text
from perfboard.report.writing import write_report
from perfboard.store.folder import find_run
from perfboard.studies.program.study import ProgramOptions, try_boards

_KILLED = 128


def trying(
    options: argparse.Namespace,
    lab: Lab | None = None,
    given_input: TextIO | None = sys.stdin,
) -> int:
    """Tries the command; its output, its exit code, and a report on standard error.

    `given_input` is Perfboard's own standard input, None if that is closed.
    """
    lab = lab or lab_of(options)
    given = options_from(ProgramOptions, options)
    boards = (options.board, *given.compare)
    if len(set(boards)) < len(boards):
        raise UsageError(f"a board is named twice: {', '.join(boards)}")
    job = ProgramJob(
        command=tuple(options.command),
        packages=tuple(dict.fromkeys(given.package)),
        files=tuple(Path(name) for name in given.push),
        limit_s=given.time_limit,
        without=given.without,
        architecture=given.architecture,
    )
    factors, command = parse_factors(options.set), ("perfboard", *sys.argv[1:])
    with ExitStack() as stack:
        stdin = stack.enter_context(_input(given.stdin, given_input)) if given.stdin else None
        runs = try_boards(boards, job, factors, command, lab, stdin)
    reports = [write_report(find_run(run.id)) for run in runs]
    for name, stream in (("stdout", sys.stdout), ("stderr", sys.stderr)):
        if name == "stdout" and options.json:
            continue
        stream.flush()
        stream.buffer.write(_output(runs[0], name))
        stream.flush()
    if options.json:
        if given.compare:
            print_json([run.model_dump(mode="json", by_alias=True) for run in runs])
        else:
            print(runs[0].to_json(), end="")
    print("\n" + program_text(runs), end="", file=sys.stderr)
    for name in ("stdout", "stderr"):
        if any(_output(run, name) != _output(runs[0], name) for run in runs[1:]):
            print(
                f"The {name} is not the same on all boards; that of {runs[0].board.name} is above.",
                file=sys.stderr,
            )
    if not given.stdin and _unread(given_input):
        print("Standard input was not given to the command: --stdin - does so.", file=sys.stderr)
    for report in (*reports, *_comparisons(runs)):
        print(printable(str(report)), file=sys.stderr)
    return _exit_code(runs)


def _comparisons(runs: list[Run]) -> Iterator[Path]:
    """A page for each board after the first, of those on which the command ended."""
    ended = [find_run(run.id) for run in runs if run.status is Status.COMPLETE]
    for other in ended[1:]:
        yield write_comparison(ended[0], other, across_evidence=False)


def _input(name: str, given_input: TextIO | None) -> IO[bytes]:
    """The command's standard input. Raises UsageError if it cannot be opened."""
    if name == "-":
        if given_input is None:
            raise UsageError("--stdin -: standard input is closed")
        return given_input.buffer
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise UsageError(f"--stdin {name}: {error.strerror}") from error


def _unread(given_input: TextIO | None) -> bool:
    """True if standard input has unread data (a pipe or a file)."""
    count = array("i", [0])
    try:
        if given_input is not None and not given_input.isatty():
            fcntl.ioctl(given_input.fileno(), termios.FIONREAD, count)
    except (OSError, ValueError):
        pass
    return count[0] > 0


def _output(run: Run, name: str) -> bytes:
    path = find_run(run.id) / "artifacts" / name
    return path.read_bytes() if path.is_file() else b""


def _exit_code(runs: list[Run]) -> int:
    """The exit code of a board's failure, or else the command's own on the first board."""
    for run in runs:
        if run.status is Status.ABORTED:
            return EXIT_INTERRUPTED
        if run.errors:
            return exit_code_of(run.errors[0].kind)
    (result,) = runs[0].results_of(ProgramResult)
    return _KILLED + result.signal if result.signal else result.exit_code or 0
