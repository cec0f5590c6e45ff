# SPDX-License-Identifier: Apache-2.0
"""The protocol of a study, and the studies there are."""

import importlib
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, TypeVar, cast

import perfboard.studies
from perfboard.host.saved_log import import_advice
from perfboard.model.board.board import NAME
from perfboard.model.board.real import RealBoard
from perfboard.model.errors import UsageError
from perfboard.model.options import check_target
from perfboard.model.run import BoardSummary, Run
from perfboard.model.text import nearest
from perfboard.store.recording import Subject
from perfboard.studies.lab import Lab
from perfboard.targets.base import Target, meant
from perfboard.targets.opening import kinds

# Packages outside bring studies under this name: `NAME = "module:STUDY"`.
_GROUP = "perfboard.studies"
_Options = TypeVar("_Options", contravariant=True)
_EXAMPLES = """\
  --board verdex               a virtual board: the Gumstix of a 2009 study, kernel, root file
                               system and boot as published
  --board rpi2                 the same image, timed as a Raspberry Pi 2
  --board ./my-board.toml      a board file of yours, with your own image
  --target serial:///dev/NAME  a real board on a serial line
  --target labgrid://PLACE     a real board that labgrid shares
`perfboard boards` lists the virtual boards."""


@dataclass(frozen=True)
class Request:
    """The user's request to any study: the target, and the levels of its factors.

    `command` is Perfboard's own, for the record. `board` is the real board, if the user gave its
    file. `name` is the user's own for the board, or "".
    """

    target: str
    factors: Mapping[str, str]
    command: tuple[str, ...]
    board: RealBoard | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.name and not re.fullmatch(NAME, self.name):
            raise UsageError(
                f'--name {self.name}: wants at most 40 of a-z, 0-9 and "-", the first no "-"'
            )
        if self.name and self.target.startswith("virtual:"):
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
        machine = " ".join(target.shell.run("uname -srm").output.split())
        summary = target.board or self.summary(machine, f"A machine of {machine}.", {})
        return Subject(summary, target.name, target.evidence, levels=target.factors)


class Study(Protocol[_Options]):
    """A plan that measures one target and leaves one run."""

    @property
    def name(self) -> str:
        """Its name on the command line, and in its runs."""

    @property
    def title(self) -> str:
        """The measured thing, in a few words."""

    @property
    def question(self) -> str:
        """The question that it answers."""

    @property
    def options(self) -> type[Any]:
        """A frozen dataclass, whose fields are options made by `model.options.option`."""

    @property
    def targets(self) -> tuple[str, ...]:
        """The kinds of target that it measures; empty for all that can be talked to."""

    @property
    def default_target(self) -> str:
        """The target that is measured if the user names none; "" if one has to be named."""

    @property
    def headline(self) -> str:
        """The metric that stands for a run in the list of runs, or ""."""

    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]:
        """The levels of each factor of the default target, the default first."""

    def run(self, request: Request, options: _Options, lab: Lab) -> Run:
        """Measures, stores the run, and returns it; a failed or aborted one too.

        Raises PerfboardError for what is wrong before the measuring starts.
        """


def run_study(study: Study[_Options], request: Request, options: _Options, lab: Lab) -> Run:
    """Runs a study. Raises UsageError if it, or an option, is not for the request's target."""
    if not request.target:
        raise UsageError(f"study {study.name} needs to know which board:\n{_EXAMPLES}")
    kind = request.target.partition(":")[0]
    if study.targets and kind not in study.targets:
        known = kinds()
        forms = " or ".join(known[each].FORM if each in known else each for each in study.targets)
        raise UsageError(
            f'study {study.name} measures {forms}, not "{request.target}".{meant(request.target)}'
            f"{import_advice(request.target)}"
        )
    check_target(options, request.target)
    return study.run(request, options, lab)


def study_names() -> list[str]:
    """The names that `get_study` may know. Imports no study."""
    return sorted({*_folders(), *_foreign()})


def studies() -> dict[str, Study[Any]]:
    """All studies by name."""
    found = {name: _load(name) for name in study_names()}
    return {name: study for name, study in found.items() if study is not None}


def get_study(name: str) -> Study[Any]:
    """The study of that name. Imports no other; raises UsageError, listing those there are."""
    study = _load(name) if name in study_names() else None
    if study is None:
        known = studies()
        raise UsageError(
            f'There is no study "{name}"{nearest(name, known)} There are: {", ".join(known)}.'
        )
    return study


def _folders() -> list[str]:
    """The folders of this package, each of which may hold a study: a STUDY in its `study`."""
    return [each.name for each in pkgutil.iter_modules(perfboard.studies.__path__) if each.ispkg]


def _foreign() -> dict[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=_GROUP)}


def _load(name: str) -> Study[Any] | None:
    if name in _folders():
        module = importlib.import_module(f"perfboard.studies.{name}.study")
        return cast("Study[Any] | None", getattr(module, "STUDY", None))
    point = _foreign()[name]
    try:
        return cast("Study[Any]", point.load())
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"study {name} cannot be imported from {point.value}: {error}; mend the package that "
            "brings it, or uninstall it"
        ) from error


def place_of(target: str) -> str:
    """A short name for what the user calls a target, of letters, digits, dots and dashes."""
    scheme, _, rest = target.partition(":")
    rest = rest.partition("?coordinator=")[0]
    host = re.sub(r":\d+$", "", rest.rpartition("@")[2])
    return re.sub(r"[^A-Za-z0-9.]+", "-", host or scheme).strip("-.")[-40:] or "target"
