# SPDX-License-Identifier: Apache-2.0
"""A run without the user, the host and the paths of the machine that made it.

People hand a report on. Paths of a board stay: they stand in its console and its results.
"""

import re

from perfboard.model.errors import CONSOLE_HEADING
from perfboard.model.run import Evidence, Run

# Folders that are alike on all machines name nobody.
_COMMON = "bin|boot|dev|etc|lib|lib64|proc|run|sbin|sys|usr"
_PATH = re.compile(rf"(?<![\w.~/-])(?!/(?:{_COMMON})/)[~]?(?:/[^\s/\"',;:()]+)*/(?=[^\s/\"',;:()])")
_HOME = re.compile(r"/(?:home|Users)/[^\s/\"',;:()]+|/root(?=/)")
_USER = re.compile(r"(?<=ssh://)[^\s/@]+@")


def without_host(run: Run) -> Run:
    """The run as a report shows it: of each path of the host its last part alone."""
    provenance = run.provenance.model_copy(
        update={
            "command": tuple(without_paths(word) for word in run.provenance.command),
            "host": {},
            "notes": tuple(without_paths(note) for note in run.provenance.notes),
        }
    )
    board = run.board
    if run.evidence is Evidence.HOST:
        facts = {name: fact for name, fact in board.facts.items() if name != "host"}
        board = board.model_copy(update={"facts": facts})
    errors = []
    for error in run.errors:
        message, heading, console = error.message.partition(CONSOLE_HEADING)
        errors.append(
            error.model_copy(update={"message": without_paths(message) + heading + console})
        )
    return run.model_copy(
        update={
            "provenance": provenance,
            "board": board,
            "target": without_paths(run.target),
            "errors": tuple(errors),
        }
    )


def without_paths(text: str) -> str:
    """The text with the last part alone of each path of the host."""
    return _PATH.sub("", _HOME.sub("~", _USER.sub("", text)))
