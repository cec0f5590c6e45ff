# SPDX-License-Identifier: Apache-2.0
"""A program that was tried on a board, as a run has it."""

from typing import Literal

from pydantic import Field

from perfboard.model.record import Int64, Quantity, Record
from perfboard.model.results.base import Result
from perfboard.model.text import signal_name


class FunctionTime(Record):
    """The processor time of one function of a program, a library or the kernel.

    `file` is its path on the board, "kernel", or "no file" for code that lies in none.
    """

    name: str
    file: str
    time_s: Quantity
    instructions: Int64


class ProgramResult(Result):
    """A command that was tried on a board, and how it ended.

    `exit_code` is None where a `signal` killed it. `late` says that the time limit did, and
    `interrupted` that the user did, `oom_kills` how many processes the kernel killed for lack
    of memory, `cut` that there was no room for all of its output. `profile` has the functions
    that took the most, the longest first; `lacked` has how many instructions ran of each kind
    that the part lacks, by the names of `model.timing.lacks.KINDS`; `profiled_s` is the time of
    all.
    """

    kind: Literal["program"] = "program"
    command: tuple[str, ...]
    packages: tuple[str, ...] = ()
    pushed: tuple[str, ...] = ()
    limit_s: Quantity
    exit_code: Int64 | None = None
    signal: Int64 | None = None
    late: bool = False
    interrupted: bool = False
    oom_kills: Int64 = 0
    cut: bool = False
    lacked: dict[str, Int64] = Field(default_factory=dict)
    stdout_bytes: Int64 = 0
    stderr_bytes: Int64 = 0
    profile: tuple[FunctionTime, ...] = ()
    profiled_s: Quantity = 0.0

    @property
    def summary(self) -> str:
        """How the command ended, in words."""
        if self.late:
            return f"killed at the time limit of {self.limit_s:g} s"
        if self.interrupted:
            return "interrupted"
        if self.signal is not None:
            out = ", when memory ran out" if self.oom_kills else ""
            return f"killed by {signal_name(self.signal)}{out}"
        return "did not end" if self.exit_code is None else f"exit code {self.exit_code}"


RESULT = ProgramResult
