# SPDX-License-Identifier: Apache-2.0
"""The `perfboard` command: words in, a command called, an exit code out.

Only the standard library is imported here, so that the command starts at once.
"""

import errno
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from perfboard.cli.arguments import make_parser
from perfboard.cli.standard_error import forgiving_stderr
from perfboard.model.errors import EXIT_INTERRUPTED, EnvironmentLacksError, PerfboardError
from perfboard.model.text import printable


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
    with forgiving_stderr():
        return _command(arguments)


def _command(arguments: Sequence[str] | None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        # `perfboard` alone prints its help.
        options = make_parser().parse_args(words or ["--help"])
        module = importlib.import_module(f"perfboard.cli.{options.module}")
        code: int = getattr(module, options.function)(options)
        sys.stdout.flush()
    except PerfboardError as error:
        print(printable(f"perfboard: {error}"), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("perfboard: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # Other errors of a file are reported by the code that opened it.
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        print(f"perfboard: standard output: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EnvironmentLacksError.exit_code
    return code


def run() -> NoReturn:
    """The entry point of the `perfboard` script."""
    sys.exit(main())


if __name__ == "__main__":
    run()
