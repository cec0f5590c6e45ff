# SPDX-License-Identifier: Apache-2.0
"""`perfboard dashboard`: a static site of all runs."""

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from perfboard.cli.progress import progress
from perfboard.cli.words import parse_tags, print_json
from perfboard.history.series import load_runs, series_of
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.run import Run
from perfboard.model.text import printable
from perfboard.report.dashboard.site import pages, patterns_of
from perfboard.report.runs import unread_text
from perfboard.store.index import list_runs

_INDEX = "index.html"
_OURS = 'content="Perfboard dashboard"'


def dashboard(options: argparse.Namespace) -> int:
    """Writes the site; the path of its first page is the last line."""
    out: Path = options.out
    tags = parse_tags(options.tag).items()
    listed = list_runs()
    rows = [row for row in listed if row.status == "complete" and tags <= row.tags.items()]
    # A run that cannot be read has no tags that one could ask for.
    odd = [row for row in listed if row.status == "broken" or row in rows]
    if not rows:
        raise UsageError("there are no such complete runs; `perfboard runs` lists the runs")
    _check(out)
    with progress().step("reading the runs", len(rows)) as step:

        def read() -> Iterator[Run]:
            for number, run in enumerate(load_runs(rows, odd.append), 1):
                step.update(number)
                yield run

        series = series_of(read(), patterns_of)
    print(unread_text(odd), end="", file=sys.stderr)
    site = dict(pages(series, datetime.now(UTC)))
    try:
        _write(out, site)
    except OSError as error:
        raise EnvironmentLacksError(f"cannot write {out}: {error.strerror or error}") from error
    if options.json:
        print_json({"index": str(out / _INDEX), "pages": len(site), "runs": len(rows)})
    else:
        print(printable(str(out / _INDEX)))
    return 0


def _check(out: Path) -> None:
    """Raises UsageError for a folder with files that are not those of a site of ours."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out} is no folder; name another")
    index = out / _INDEX
    ours = index.is_file() and _OURS in index.read_text(errors="replace")[:2000]
    if any(out.iterdir()) and not ours:
        raise UsageError(f"{out} has other files in it; name a new folder, or an earlier site's")


def _write(out: Path, site: dict[str, str]) -> None:
    """Writes the first page last, so that it leads to no page that is missing."""
    out.mkdir(parents=True, exist_ok=True)
    for path in out.glob("kind-*.html"):
        if path.name not in site:
            path.unlink()
    for name in sorted(site, key=lambda name: name == _INDEX):
        temporary = out / f".{name}"
        temporary.write_text(site[name], "utf-8")
        temporary.replace(out / name)
