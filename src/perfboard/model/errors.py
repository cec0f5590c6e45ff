# SPDX-License-Identifier: Apache-2.0
"""Errors: one class for each exit code, told apart by who must act."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Parts a message from the console's last lines, wherever it is kept as text.
CONSOLE_HEADING = "\nlast console lines:\n"


class PerfboardError(Exception):
    """Base of all errors that Perfboard raises on purpose.

    The message says what went wrong, where, and what to do about it.
    """

    exit_code = 1
    kind = "error"


class UsageError(PerfboardError):
    """The command or a file is wrong: the user must change it."""

    exit_code = 2
    kind = "usage"


def refusals(*checks: Callable[[], object]) -> list[str]:
    """The words of the UsageErrors that the checks raise, each once: all that is wrong."""
    found: dict[str, None] = {}
    for check in checks:
        try:
            check()
        except UsageError as error:
            found[str(error)] = None
    return list(found)


class EnvironmentLacksError(PerfboardError):
    """This machine, or the way to the target, lacks something."""

    exit_code = 3
    kind = "environment"


class BuildError(EnvironmentLacksError):
    """A tool rejected its input; none is missing.

    Another input may do: a tune goes on without this level.
    """

    kind = "build"


class TargetError(PerfboardError):
    """The target failed. `kind` says how; `console` holds its last lines."""

    exit_code = 4

    def __init__(self, kind: str, message: str, console: str = "") -> None:
        """`kind` is one of these.

        A boot has bootloader, panic, no-root, no-mark, hang, died, flood; a live target has lost,
        hang, died, transfer, garbage, write, no-folder; a try also has mark, a tune not-booted.
        """
        super().__init__(message)
        self.kind = kind
        self.console = console

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message}{CONSOLE_HEADING}{self.console}" if self.console else message


class Cancelled(Exception):
    """The work was given up because another thread asked for it."""


class DefectError(PerfboardError):
    """Perfboard itself failed: its developers must act."""

    exit_code = 70
    kind = "defect"


@contextmanager
def defects(doing: str) -> Iterator[None]:
    """Turns an unforeseen exception into a DefectError, so that the run is kept."""
    try:
        yield
    except (PerfboardError, OSError, MemoryError):
        raise
    except Exception as error:
        raise DefectError(
            f"A defect of Perfboard: {doing} failed ({type(error).__name__}: {error}). Please "
            "report it, with the recordings that the run keeps."
        ) from error


# The kind of a run's error where what was measured decides nothing.
INCONCLUSIVE = "inconclusive"
EXIT_FAILED_VERDICT = 1
EXIT_INCONCLUSIVE = 5
EXIT_INTERRUPTED = 130


_KNOWN = (UsageError, EnvironmentLacksError, BuildError, DefectError)


def exit_code_of(kind: str) -> int:
    """The exit code of an error that a run recorded by its kind."""
    codes = {error.kind: error.exit_code for error in _KNOWN} | {INCONCLUSIVE: EXIT_INCONCLUSIVE}
    return codes.get(kind, TargetError.exit_code)


def error_of(kind: str, message: str) -> PerfboardError:
    """The error that a run recorded, to be raised again."""
    known = next((error for error in _KNOWN if error.kind == kind), None)
    return known(message) if known else TargetError(kind, message)
