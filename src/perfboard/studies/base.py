# SPDX-License-Identifier: Apache-2.0
"""The protocol of a study, and the studies there are."""

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, TypeVar, cast

import perfboard.studies
from perfboard.bench.lab import Lab
from perfboard.bench.opening import target_forms
from perfboard.bench.request import Request
from perfboard.host.files.saved_log import import_advice
from perfboard.model.errors import UsageError, refusals
from perfboard.model.options import check_target
from perfboard.model.run import Run
from perfboard.model.text import nearest
from perfboard.targets.base import meant

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

    def check(self, request: Request, options: _Options) -> Sequence[str]:
        """All that is wrong with them, an item each. It reads files, and opens no board."""
        return ()

    def run(self, request: Request, options: _Options, lab: Lab) -> Run:
        """Measures, stores the run, and returns it; a failed or aborted one too.

        Raises PerfboardError for what is wrong before the measuring starts.
        """


def run_study(study: Study[_Options], request: Request, options: _Options, lab: Lab) -> Run:
    """Runs a study. Raises UsageError as `check_study` does, before anything is opened."""
    check_study(study, request, options)
    return study.run(request, options, lab)


def check_study(study: Study[_Options], request: Request, options: _Options) -> None:
    """Raises UsageError with all that is wrong with the request and the options, a line each."""
    if not request.target:
        raise UsageError(f"study {study.name} needs to know which board:\n{_EXAMPLES}")
    kind = request.target.partition(":")[0]
    if study.targets and kind not in study.targets:
        known = target_forms()
        forms = " or ".join(known.get(each, each) for each in study.targets)
        raise UsageError(
            f'study {study.name} measures {forms}, not "{request.target}".{meant(request.target)}'
            f"{import_advice(request.target)}"
        )
    wrong = refusals(lambda: check_target(options, request.target))
    # A package's study may be older than `check`.
    own = study.check(request, options) if hasattr(study, "check") else ()
    if wrong := [*wrong, *own]:
        raise UsageError("\n".join(wrong))


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
