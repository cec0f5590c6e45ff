# SPDX-License-Identifier: Apache-2.0
"""One board of a choice as work in the background, and its end."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from perfboard.bench.lab import Lab
from perfboard.bench.opening import virtual_board
from perfboard.bench.request import Request
from perfboard.host.files.scratch import scratch_folder
from perfboard.measures.base import EXACT
from perfboard.measures.own_files import all_files
from perfboard.model.errors import Cancelled, DefectError, PerfboardError
from perfboard.model.run import Run
from perfboard.model.target import virtual_name
from perfboard.profiles.loader import is_shipped, load_profile
from perfboard.store.making import new_run
from perfboard.studies.choose.board import BoardStudy
from perfboard.studies.choose.items import items_of
from perfboard.studies.choose.options import ChooseOptions


@dataclass(frozen=True)
class BoardEnd:
    """The run of a board, or why there is none."""

    run: Run | None = None
    problem: str = ""


@dataclass(frozen=True)
class BoardWork:
    """A virtual board to hold against a profile.

    `text` is that of the user's profile, if any, and `files` are those that it names.
    """

    study: BoardStudy
    request: Request
    options: ChooseOptions
    text: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """See `bench.workers.work.Work`."""
        return title_of(self.request)

    @property
    def emulator(self) -> str:
        """See `bench.workers.work.Work`."""
        loaded = virtual_board(self.request.target)
        return loaded.board.machine.emulator if loaded else ""

    def run(self, lab: Lab, cancelled: Event) -> BoardEnd:
        """See `bench.workers.work.Work`. The progress of the lab looks at `cancelled`."""
        if not self.text:
            return measured(self.study, self.request, self.options, lab)
        # Another machine has not the user's file.
        with scratch_folder() as folder:
            path = folder / Path(self.options.profile).name
            path.write_bytes(self.text)
            for name, data in self.files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
            options = replace(self.options, profile=str(path), yes="yes")
            return measured(self.study, self.request, options, lab)


def measured(study: BoardStudy, request: Request, options: ChooseOptions, lab: Lab) -> BoardEnd:
    """How a board ended: one that cannot be measured does not end the choice."""
    try:
        return BoardEnd(study.run(request, options, lab))
    except DefectError:
        raise
    except Cancelled:
        return BoardEnd(problem="it was interrupted")
    except PerfboardError as error:
        return BoardEnd(problem=str(error))


def title_of(request: Request) -> str:
    """The name of a board before it is opened."""
    return virtual_name(request.target) or request.place


def sent(work: BoardWork, path: Path) -> BoardWork:
    """The work for another machine, with the profile of that path if it is the user's."""
    if is_shipped(path):
        return work
    files: dict[str, bytes] = {}
    for item in items_of(load_profile(path), path, work.options.only):
        files |= all_files(item.setting(EXACT))
    return replace(work, text=path.read_bytes(), files=files)


class RunKeeper:
    """Stores the runs of boards that other machines measured; see `distributed.Keeper`."""

    def __init__(self, tags: Mapping[str, str]) -> None:
        self._tags = dict(tags)

    def find(self, work: BoardWork) -> None:
        """Each worker takes over what it measured before."""

    def keep(self, work: BoardWork, end: BoardEnd) -> BoardEnd:
        """The end with the run as it is stored here, without artifacts."""
        if end.run is None:
            return end
        folder = new_run(end.run.study, end.run.board.name)
        note = f"Measured on another machine, which keeps the artifacts of its run {end.run.id}."
        provenance = end.run.provenance.model_copy(
            update={"notes": (*end.run.provenance.notes, note)}
        )
        update = {"id": folder.id, "artifacts": (), "provenance": provenance, "tags": self._tags}
        return BoardEnd(folder.finish(end.run.model_copy(update=update)))
