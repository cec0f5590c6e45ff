# SPDX-License-Identifier: Apache-2.0
"""The user's request: the target, and the levels of its factors."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from perfboard.factors.choose import perturbations
from perfboard.model.board.board import NAME
from perfboard.model.board.real import RealBoard
from perfboard.model.errors import UsageError
from perfboard.model.run import BoardSummary
from perfboard.model.target import place_of, virtual_name
from perfboard.store.recording import Subject
from perfboard.targets.base import Target


@dataclass(frozen=True)
class Request:
    """The user's request to any study: the target, and the levels of its factors.

    `command` is Perfboard's own, for the record. `board` is the real board, if the user gave its
    file. `name` is the user's own for the board, or "". `others` are those of the same command for
    other boards.
    """

    target: str
    factors: Mapping[str, str]
    command: tuple[str, ...]
    board: RealBoard | None = None
    name: str = ""
    others: tuple["Request", ...] = ()

    def __post_init__(self) -> None:
        if self.name and not re.fullmatch(NAME, self.name):
            raise UsageError(
                f'--name {self.name}: give at most 40 of a-z, 0-9 and "-", the first no "-"'
            )
        if self.name and virtual_name(self.target) is not None:
            raise UsageError(f"--name {self.name}: a virtual board has the name in its file")

    @property
    def place(self) -> str:
        """A short name for the board: the user's, that of its file, else one of its target."""
        return self.name or (self.board.name if self.board else place_of(self.target))

    def summary(self, title: str, description: str, facts: Mapping[str, str]) -> BoardSummary:
        """A run's description of a real board: the words of its file, or else these; and its
        facts."""
        if (board := self.board) is not None:
            title, description, facts = board.title, board.description, {**board.facts, **facts}
        return BoardSummary(
            name=self.place, title=title, description=description, facts=dict(facts)
        )

    def subject_of(self, target: Target) -> Subject:
        """The open target as the subject of a run; its shell says what machine it is."""
        words = target.shell.run("uname -srm").output.split()
        machine = " ".join(words)
        # A file's words of the board say no kernel.
        facts = {"kernel": words[1]} if len(words) == 3 else {}
        summary = target.board or self.summary(machine, f"A machine of {machine}.", facts)
        return Subject(
            summary,
            target.name,
            target.evidence,
            levels=target.factors,
            perturbed=perturbations(target.factors),
            tools=target.tools,
            image=target.image,
            packages=target.packages,
        )
