# SPDX-License-Identifier: Apache-2.0
"""bootchart's archives (bootchart.tgz, bootlog.tgz): what processes and disks did in a boot."""

import tarfile
from pathlib import PurePosixPath

from perfboard.analysis.formats.bootchart import LOGS, Bootchart, read_bootchart
from perfboard.importers.base import MOST_BYTES, FileContent, Importer, ImportOptions, SavedFile
from perfboard.model.errors import UsageError
from perfboard.model.run import Metric
from perfboard.model.text import printable

_MOST_MEMBERS = 10_000
_MOST_PROCESSES = 100


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    try:
        with file.open() as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
            logs = _logs(file, archive)
        found = read_bootchart(logs)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise UsageError(f"{file.path}: its archive is damaged: {error}") from error
    except ValueError as error:
        raise UsageError(f"{file.path}: {error}") from error
    notes = (
        f"bootchart's samples cover {found.seconds:.2f} s; their times are hundredths of a second.",
    )
    return FileContent(metrics=tuple(_metrics(found)), notes=notes)


def _logs(file: SavedFile, archive: tarfile.TarFile) -> dict[str, bytes]:
    """The logs in an archive. Nothing is unpacked to the disk."""
    found: dict[str, bytes] = {}
    left = MOST_BYTES
    for number, member in enumerate(archive):
        path = PurePosixPath(member.name)
        if path.is_absolute() or ".." in path.parts:
            raise UsageError(
                f"{file.path}: its member {printable(member.name)[:80]} lies outside the archive; "
                "bootchart writes none such"
            )
        if number >= _MOST_MEMBERS or (member.isfile() and member.size > left):
            raise UsageError(
                f"{file.path}: has more than {_MOST_MEMBERS} members or {MOST_BYTES >> 20} MiB"
            )
        left -= member.size if member.isfile() else 0
        if member.isfile() and path.name in LOGS and (stream := archive.extractfile(member)):
            found[path.name] = stream.read()
    return found


def _metrics(found: Bootchart) -> list[Metric]:
    def metric(name: str, unit: str, value: float, **labels: str) -> Metric:
        return Metric.model_validate(
            {"name": f"bootchart.{name}", "unit": unit, "labels": labels, "samples": (value,)}
        )

    slowest = sorted(found.processes.items(), key=lambda each: -each[1])[:_MOST_PROCESSES]
    return [
        metric("time", "s", found.seconds),
        *(metric("cpu", "s", seconds, state=name) for name, seconds in found.states.items()),
        *(
            metric("process", "s", seconds, process=printable(name))
            for name, seconds in slowest
            if seconds > 0
        ),
        *([metric("disk.read", "B", found.read)] if found.read else []),
        *([metric("disk.written", "B", found.written)] if found.written else []),
    ]


def _share(head: bytes) -> float:
    # A member's name stands at the beginning of each of its blocks.
    return 1.0 if head[257:262] == b"ustar" and any(log.encode() in head for log in LOGS) else 0.0


IMPORTER = Importer("bootchart", "an archive of bootchart's (bootchart.tgz)", _share, _read)
