# SPDX-License-Identifier: Apache-2.0
"""The run that files are made into."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import SEEK_END
from itertools import count
from pathlib import Path, PurePosixPath

from perfboard.analysis.boot.bounds.seen import seen_limits
from perfboard.analysis.boot.metrics import metrics_of
from perfboard.analysis.boot.phases import TOTALS
from perfboard.analysis.power.figures import power_metrics
from perfboard.history.rates import rates_of
from perfboard.host.files.files import open_file
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer, form_of
from perfboard.importers.joining import Parent, join_files
from perfboard.importers.systemd.analyze import startup_notes
from perfboard.importers.ways import files_of, opened_files
from perfboard.model.errors import UsageError, defects
from perfboard.model.progress import Progress
from perfboard.model.results.boot import Boot, BootResult
from perfboard.model.results.limits import LimitsResult
from perfboard.model.results.power import PowerResult
from perfboard.model.run import BoardSummary, Evidence, Metric, Run
from perfboard.model.target import file_target
from perfboard.model.text import printable
from perfboard.store.boards import find_named
from perfboard.store.making import RunFolder
from perfboard.store.reading import artifact_file, load_run
from perfboard.store.recording import Content, Subject, recording

# The metric that stands for a run in the list: the first of these that it has.
_HEADLINES = (*TOTALS, "boot.kernel")
# A file that takes so long to read shows how far it is.
_LARGE = 64 << 20


def import_files(
    paths: Sequence[Path],
    options: ImportOptions,
    command: tuple[str, ...],
    tags: Mapping[str, str],
    progress: Progress,
) -> Run:
    """The run of all files together, which keeps them, and with them those of the run `into`.

    If one of the files shows a part of a boot, all are of one boot, and their clocks are joined.
    Raises UsageError for a file that is not understood, before there is a run; one of a folder is
    left out, if another is understood.
    """
    parent = None
    if options.into:
        folder = find_named(options.into)
        parent = Parent(load_run(folder), folder)
    with opened_files(files_of(paths)) as files:
        for channel in options.channel:
            name = channel.rpartition(":")[0]
            if name not in ("", *(file.path.name for file in files)):
                raise UsageError(f"--channel: {name} is none of the files; write FILE:CHANNEL=MARK")
        known, read, notes = _contents(files, {*paths}, options, progress)
        return _recorded(known, read, parent, options, command, tags, notes)


def _contents(
    files: Sequence[SavedFile], named: Container[Path], options: ImportOptions, progress: Progress
) -> tuple[list[SavedFile], list[FileContent], list[str]]:
    """The files, the content of each, and how it was read; of those not `named` what is known."""
    known: list[SavedFile] = []
    read: list[FileContent] = []
    notes: list[str] = []
    errors: list[UsageError] = []
    for file in files:
        try:
            importer = choose_importer(file, options.as_)
            with defects(f"reading {file.path}"), _watched(file, progress) as watched:
                read.append(_read(importer, watched, options))
        except UsageError as error:
            if file.path in named or file.given:
                raise
            errors.append(error)
            notes.append(f"{file.path.name} was left out: {' '.join(str(error).split())[:200]}.")
        else:
            known.append(file)
            notes.append(f"{file.path.name} was read as {importer.name}: {importer.title}.")
            if read[-1].boots and not read[-1].joins:
                notes += startup_notes(file.text, read[-1].boots)
    if not read:
        raise UsageError(f"none of {len(files)} files was understood; the first: {errors[0]}")
    return known, read, notes


def _recorded(
    files: Sequence[SavedFile],
    read: Sequence[FileContent],
    parent: Parent | None,
    options: ImportOptions,
    command: tuple[str, ...],
    tags: Mapping[str, str],
    notes: list[str],
) -> Run:
    boots = tuple(boot for each in read for boot in each.boots)
    results = tuple(result for each in read for result in each.results)
    joins = parent is not None or any(each.joins for each in read)
    if parent is None and all(each.alone for each in read):
        raise UsageError(f"{files[0].path}: {read[0].alone}")
    notes += _of_one_board(files, read, parent)
    if joins:
        boot, timeline = join_files(files, read, parent)
        boots = (boot,)
        for file, each in zip(files, read, strict=True):
            if each.power is not None and timeline is not None:
                # It loads numpy, which a log alone does not need.
                from perfboard.analysis.timeline.energy import power_of

                power, words = power_of(file.path.name, each.power, boot, timeline)
                results = (*results, power)
                notes += words
        if timeline is not None:
            results = (timeline, *results)
            notes += timeline.notes
    metrics = (
        *metrics_of(boots),
        *(metric for each in read for metric in each.metrics),
        *(m for each in results if isinstance(each, PowerResult) for m in power_metrics(each)),
    )
    # One log may have the marks that another lacks: each note is of one file.
    prefixes = [f"In {file.path.name}: " if joins else "" for file in files]
    notes += dict.fromkeys(
        prefix + note for prefix, each in zip(prefixes, read, strict=True) for note in each.notes
    )
    subject = _subject(files[0], options, read, parent)
    if boots and (limits := _limits(subject, boots)) is not None:
        results = (limits, *results)
    found = Content(
        subject,
        metrics=metrics,
        results=(*([BootResult(boots=boots)] if boots else []), *results),
        notes=tuple(notes),
        errors=tuple(error for each in read for error in each.errors),
        step="keeping the files",
    )
    keep = recording(
        "boot" if boots else "import", subject.board.name, command, _headline(metrics), tags
    )
    with keep as record, record.begin(lambda: found):
        if parent is not None:
            for artifact in parent.run.artifacts:
                _copy(
                    artifact_file(parent.folder, artifact.path),
                    record.folder,
                    artifact.path.removeprefix("artifacts/"),
                )
        folder = _new_folder(parent) if parent else ""
        for number, file in enumerate(files, 1):
            name = re.sub(r"[^A-Za-z0-9._-]", "_", file.path.name)[-80:].lstrip(".") or "log"
            place = f"{number}/{name}" if len(files) > 1 else name
            _copy(file.kept, record.folder, f"{folder}{place}")
    return record.run


def _of_one_board(
    files: Sequence[SavedFile], read: Sequence[FileContent], parent: Parent | None
) -> list[str]:
    """A sentence if the logs are of several kernels. Raises UsageError for logs of two boards."""
    facts = [(file.path.name, each.facts) for file, each in zip(files, read, strict=True)]
    facts = [named for named, each in zip(facts, read, strict=True) if each.boots]
    if parent is not None:
        facts.insert(0, (parent.run.id, parent.run.board.facts))
    # A BIOS may be updated.
    boards = {
        of["board"].partition(", BIOS ")[0]: name for name, of in reversed(facts) if "board" in of
    }
    if len(boards) > 1:
        (other, other_name), (board, name) = [*boards.items()][-2:]
        raise UsageError(
            f"{name} is of {printable(board)}, {other_name} of {printable(other)}: a run is of one "
            "board; import each board's files by themselves"
        )
    kernels = {of["kernel"]: name for name, of in reversed(facts) if "kernel" in of}
    if len(kernels) < 2:
        return []
    return [
        f"The logs are of {len(kernels)} kernels: a figure over all of them is of none. "
        + "; ".join(f"{name}: {printable(kernel)[:60]}" for kernel, name in kernels.items())
        + "."
    ]


def _new_folder(parent: Parent) -> str:
    """The folder for files of a run that has those of `parent` too, with a slash."""
    taken = {PurePosixPath(each.path).parts[1] for each in parent.run.artifacts}
    names = (f"imported-{number}" if number > 1 else "imported" for number in count(1))
    return f"{next(name for name in names if name not in taken)}/"


def _read(importer: Importer, file: SavedFile, options: ImportOptions) -> FileContent:
    """The content of the file; the error of a wrong --as names the right one."""
    try:
        return importer.read(file, options)
    except UsageError as error:
        form = form_of(file) if options.as_ else ""
        if form in ("", importer.name):
            raise
        raise UsageError(
            f"{error}\nIt was read as {importer.name}, and has the form of {form}: leave --as "
            "out, or give it for the files of one format alone"
        ) from error


@contextmanager
def _watched(file: SavedFile, progress: Progress) -> Iterator[SavedFile]:
    """The file as an importer reads it; a large one shows how far it is."""
    with file.open() as stream:
        size = stream.seek(0, SEEK_END)
    if size < _LARGE:
        yield file
        return
    with progress.step(f"reading {file.path.name}", size) as step:
        yield replace(file, watch=step.update)


def _subject(
    file: SavedFile, options: ImportOptions, read: Sequence[FileContent], parent: Parent | None
) -> Subject:
    """The board that the files are of: as the user states, else the parent's."""
    facts = {key: value for each in read for key, value in each.facts.items()}
    board = BoardSummary(
        name=options.name or re.sub(r"[^A-Za-z0-9.]+", "-", file.stem).strip("-.")[:40] or "log",
        title=facts.get("board", "a board of which a log was kept"),
        description="A board of which a log was kept.",
        facts=facts,
    )
    evidence = Evidence(options.evidence)
    if parent is not None:
        board = parent.run.board.model_copy(
            update={
                "name": options.name or parent.run.board.name,
                "facts": {**parent.run.board.facts, **facts},
            }
        )
        evidence = parent.run.evidence if evidence is Evidence.UNKNOWN else evidence
    return Subject(board, file_target(file.path.name), evidence)


def _limits(subject: Subject, boots: Sequence[Boot]) -> LimitsResult | None:
    """How far the boots are from the limit, by what runs of the same board measured."""
    board = subject.board
    return seen_limits(
        boots, rates_of(board.name, subject.target, subject.evidence, board.console_baud)
    )


def _headline(metrics: Sequence[Metric]) -> str:
    names = {metric.name for metric in metrics}
    return next((name for name in _HEADLINES if name in names), "")


def _copy(path: Path, folder: RunFolder, name: str) -> None:
    with open_file(path, "a saved log") as file:
        folder.copy_artifact(name, file)
