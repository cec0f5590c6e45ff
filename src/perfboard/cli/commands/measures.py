# SPDX-License-Identifier: Apache-2.0
"""`perfboard measures`: what can be measured."""

import argparse
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from inspect import getdoc
from typing import Any

from perfboard.cli.words import print_json
from perfboard.measures.base import Measure
from perfboard.measures.catalogue import all_measures, get_measure
from perfboard.measures.needs import needs_of
from perfboard.model.profile import Value
from perfboard.report.terminal import cells, new_table, render


def probes(options: argparse.Namespace) -> int:
    """Lists the measures, as it is called now."""
    print("`perfboard probes` is called `perfboard measures` now", file=sys.stderr)
    options.names = ()
    return measures(options)


def measures(options: argparse.Namespace) -> int:
    """Lists the measures, or describes one."""
    names: Sequence[str] = options.names
    found = [get_measure(name) for name in names] or list(all_measures().values())
    if options.json:
        print_json([_record(each) for each in found])
    elif names:
        print("\n\n".join(map(_description, found)))
    else:
        table = new_table("measure", "what it measures")
        for each in found:
            table.add_row(*cells(each.name, each.title))
        print(render([table]))
        print("`perfboard measures NAME` has a measure's metrics, units, parameters and needs.")
    return 0


def _record(measure: Measure) -> dict[str, Any]:
    return {
        "name": measure.name,
        "title": measure.title,
        "metrics": [{**asdict(each), "work": each.work} for each in measure.metrics],
        "parameters": [asdict(each) for each in measure.parameters],
        "needs": needs_of(measure),
    }


def _description(measure: Measure) -> str:
    lines = [f"{measure.name}: {measure.title}", "", *_wrapped("", getdoc(type(measure)) or "")]
    parts = {
        "metrics": [
            (
                f"{each.name} ({each.unit}, {each.better} is better"
                f"{each.work and f'; work: {each.work}'})",
                each.help,
            )
            for each in measure.metrics
        ],
        "parameters": [
            (f"{each.name}={_written(each.default)}", each.help) for each in measure.parameters
        ],
    }
    for title, rows in parts.items():
        if rows:
            lines += ["", f"{title}:"]
        for name, words in rows:
            lines += [f"  {name}", *_wrapped("      ", words)]
    if needs := needs_of(measure):
        lines += ["", "needs:"]
        lines += [line for need in needs for line in _wrapped("  ", need)]
    return "\n".join(lines)


def _wrapped(indent: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, 80, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _written(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value) or '""'
