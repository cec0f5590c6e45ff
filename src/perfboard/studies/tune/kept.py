# SPDX-License-Identifier: Apache-2.0
"""Tries that were made on other machines, and are kept on this one."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from perfboard.boards.loader import load_board
from perfboard.host.cache.cache import cached, find_cached, hash_file
from perfboard.model.progress import SilentProgress
from perfboard.studies.tune.task import Task, TaskResult

_RESULT = TypeAdapter(TaskResult)


class KeptTries:
    """The tries that were booted elsewhere with this `software`, in this machine's cache.

    A boot is kept where it was made under the hashes of its image, which this machine has not.
    """

    def __init__(self, software: Mapping[str, str]) -> None:
        self._software = software

    def find(self, task: Task) -> TaskResult | None:
        """How the task ended; None if it was not run, did not boot, or was not to."""
        folder = find_cached("try", self._inputs(task), __name__) if task.boots else None
        return None if folder is None else _read(folder)

    def keep(self, task: Task, result: TaskResult) -> TaskResult:
        """Keeps it where it has a boot. Raises as `images.cache.cached` does."""
        if not result.boots:
            return result

        def write(folder: Path) -> None:
            (folder / "console.log").write_bytes(result.console)
            text = _RESULT.dump_json(result, exclude={"console"})
            (folder / "result.json").write_bytes(text)

        cached("try", self._inputs(task), write, SilentProgress())
        return result

    def _inputs(self, task: Task) -> dict[str, str]:
        loaded = load_board(task.board)
        files = loaded.board.image.files()
        return {
            **self._software,
            "board": loaded.board.model_dump_json(),
            "levels": json.dumps(dict(task.levels), sort_keys=True),
            **{f"file {key}": hash_file(loaded.file(file)) for key, file in files.items()},
        }


def _read(folder: Path) -> TaskResult:
    content = json.loads((folder / "result.json").read_text())
    result = _RESULT.validate_json(json.dumps({**content, "console": ""}))
    return replace(result, console=(folder / "console.log").read_bytes())
