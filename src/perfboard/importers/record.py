# SPDX-License-Identifier: Apache-2.0
"""The run that files are made into."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from perfboard.analysis.boot.metrics import metrics_of
from perfboard.analysis.boot.phases import TOTALS
from perfboard.importers.base import Imported, ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer
from perfboard.model.errors import defects
from perfboard.model.results.boot import BootResult
from perfboard.model.run import BoardSummary, Evidence, Run
from perfboard.store.folder import RunFolder
from perfboard.store.recording import Found, Subject, recording

# The metric that stands for a run in the list: the first of these that it has.
_HEADLINES = (*TOTALS, "boot.kernel")


def import_files(
    paths: Sequence[Path],
    options: ImportOptions,
    command: tuple[str, ...],
    tags: Mapping[str, str],
) -> Run:
    """The run of all files together, which keeps them.

    Raises UsageError for a file that is not understood, before there is a run.
    """
    files = [SavedFile(path) for path in paths]
    read: list[Imported] = []
    notes: list[str] = []
    for file in files:
        importer = choose_importer(file, options.format)
        with defects(f"reading {file.path}"):
            read.append(importer.read(file, options))
        notes.append(f"{file.path.name} was read as {importer.name}: {importer.title}.")
    boots = tuple(boot for each in read for boot in each.boots)
    results = tuple(result for each in read for result in each.results)
    metrics = (*metrics_of(boots), *(metric for each in read for metric in each.metrics))
    names = {metric.name for metric in metrics}
    headline = next((name for name in _HEADLINES if name in names), "")
    facts = {key: value for each in read for key, value in each.facts.items()}
    name = options.name or _name_of(files[0].path)
    subject = Subject(
        BoardSummary(
            name=name,
            title=facts.get("board", "a board of which a log was kept"),
            description="A board of which a log was kept.",
            facts=facts,
        ),
        f"file:{files[0].path.name}",
        Evidence(options.evidence),
    )
    notes += dict.fromkeys(note for each in read for note in each.notes)
    found = Found(
        subject,
        metrics=metrics,
        results=(*([BootResult(boots=boots)] if boots else []), *results),
        notes=tuple(notes),
        step="keeping the files",
    )
    keep = recording("boot", name, command, headline, tags)
    with keep as record, record.begin(lambda: found):
        for number, file in enumerate(files, 1):
            _keep(file, record.folder, number if len(files) > 1 else None)
    return record.run


def _keep(file: SavedFile, folder: RunFolder, number: int | None) -> None:
    name = re.sub(r"[^A-Za-z0-9._-]", "_", file.path.name)[-80:].lstrip(".") or "log"
    folder.write_artifact(name if number is None else f"{number}/{name}", file.data)


def _name_of(path: Path) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", path.stem).strip("-.")[:40] or "log"
