# SPDX-License-Identifier: Apache-2.0
"""`perfboard history`: a metric over the runs."""

import argparse
import sys
from dataclasses import asdict

from perfboard.cli.words import parse_tags, print_json
from perfboard.history.series import headline_of, load_runs, series_of
from perfboard.model.errors import UsageError
from perfboard.report.history import history_csv, history_text
from perfboard.report.runs import unread_text
from perfboard.store.index import list_runs


def history(options: argparse.Namespace) -> int:
    """Prints the series of a metric, and its changes."""
    tags = parse_tags(options.tag).items()
    listed = list_runs()
    rows = [
        row for row in listed if options.board in (None, row.board) and tags <= row.tags.items()
    ][: options.limit]
    patterns = tuple(options.metric)
    # A run that cannot be read has no board that one could ask for.
    odd = [row for row in listed if row.status == "broken" or row in rows]
    found = series_of(load_runs(rows, odd.append), lambda run: patterns or headline_of(run))
    print(unread_text(odd), end="", file=sys.stderr)
    if not found:
        which = " ".join(options.metric) or "with a headline"
        raise UsageError(
            f"no complete run has a metric {which}; `perfboard runs` lists the runs, and "
            "`perfboard show RUN` the metrics of one"
        )
    if options.json:
        print_json([asdict(each) for each in found])
    elif options.format == "csv":
        print(history_csv(found), end="")
    else:
        print(history_text(found), end="")
    return 0
