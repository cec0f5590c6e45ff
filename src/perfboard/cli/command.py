# SPDX-License-Identifier: Apache-2.0
"""The `perfboard` command: words in, a command called, an exit code out.

Only the standard library is imported here, so that the command starts at once.
"""

import importlib
import itertools
import json
import resource
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from perfboard.cli.arguments import make_parser, words_of_today
from perfboard.host.files.scratch import sweep
from perfboard.model.errors import (
    EXIT_INTERRUPTED,
    DefectError,
    EnvironmentLacksError,
    PerfboardError,
)
from perfboard.model.text import printable

_LEAST_MEMORY = 256 << 20


def _terminated(signal_number: int, frame: object) -> NoReturn:
    # A closing terminal may send it twice, which would interrupt the tidying up.
    if signal_number == signal.SIGHUP:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code, as the design gives them."""
    signal.signal(signal.SIGTERM, _terminated)
    # Under nohup it is ignored, and stays so.
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, _terminated)
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _command(words)
    except BaseException as error:
        kind, message, code = _ended(error)
        print(printable(f"perfboard: {message}"), file=sys.stderr)
        # The words after "--" are for another program.
        if "--json" in itertools.takewhile(lambda word: word != "--", words):
            document = {"error": {"kind": kind, "message": message, "exit_code": code}}
            print(json.dumps(document, indent=1), flush=True)
        return code


def _command(words: Sequence[str]) -> int:
    _require_memory()
    try:
        # `perfboard` alone prints its help.
        options = make_parser().parse_args(words_of_today(words) or ["--help"])
        module = importlib.import_module(f"perfboard.cli.commands.{options.module}")
        # Until here there was nothing to tidy up.
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        sweep()
        code: int = getattr(module, options.function)(options)
    except SystemExit as leaving:
        # The parser has printed its help, or what is wrong.
        code = int(leaving.code or 0)
    sys.stdout.flush()
    return code


def _require_memory() -> None:
    """Raises MemoryError below a limit at which libraries end the process in ways of their own."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < _LEAST_MEMORY:
        raise MemoryError


def _ended(error: BaseException) -> tuple[str, str, int]:
    """The end of a command by any error: its kind, words and exit code. The one place for all."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", "interrupted", EXIT_INTERRUPTED
    from perfboard.host.failures import defect_words, lack_words, shortage_words

    if isinstance(error, PerfboardError):
        if words := shortage_words(error.__cause__):
            return EnvironmentLacksError.kind, words, EnvironmentLacksError.exit_code
        return error.kind, str(error), error.exit_code
    if words := lack_words(error):
        return EnvironmentLacksError.kind, words, EnvironmentLacksError.exit_code
    return DefectError.kind, defect_words(error), DefectError.exit_code
