# SPDX-License-Identifier: Apache-2.0
"""`perfboard measure`."""

import argparse
import sys
from collections.abc import Sequence

from perfboard.bench.request import Request
from perfboard.cli.commands.study import board_of
from perfboard.cli.finish import finish
from perfboard.cli.lab import lab_of
from perfboard.cli.options import options_from
from perfboard.cli.words import parse_factors
from perfboard.measures.parameters import parse_value
from perfboard.model.errors import UsageError
from perfboard.model.options import flag
from perfboard.model.profile import Value
from perfboard.model.target import command_on
from perfboard.studies.guide.plan import Extent, guide_of
from perfboard.studies.guide.study import measure_guide
from perfboard.studies.measure import MeasureOptions, measure_named

# These have a study that says more of what they measure.
_STUDIES = ("boot", "wakeups")


def measure(options: argparse.Namespace) -> int:
    """Measures what is named; the report's path is the last line."""
    names, request, given = requested(options)
    parameters = parse_parameters(options.parameters)
    lab = lab_of(options)
    if guide_of(names) is None:
        run = measure_named(names, parameters, request, given, lab)
    else:
        run = measure_guide(names[0], parse_extent(given), parameters, request, given, lab)
    code = finish(run, options.json, names, given.budget)
    for name in _STUDIES:
        if name in names:
            # A real board's boot has an end that its line tells.
            end = ("--usable", given.usable) if name == "boot" and given.usable else ()
            again = command_on(run.target, run.board.name, "study", name, *end)
            print(f"`{again}` says more: a plan with a conclusion", file=sys.stderr)
    return code


def requested(options: argparse.Namespace) -> tuple[list[str], Request, MeasureOptions]:
    """The names of what is to be measured, where, and how. Raises UsageError for no such board."""
    target, real = board_of(options.target, options.board)
    limits: list[str] = getattr(options, flag("budget")) or []
    # The time of probes was called so.
    if old := [text for text in limits if text.replace(".", "", 1).isdigit()]:
        words = "--budget is called --time now; the old name goes with the next release"
        print(words, file=sys.stderr)
        setattr(options, flag("time"), old[-1])
        setattr(options, flag("budget"), [text for text in limits if text not in old] or None)
    request = Request(
        target=target or "local",
        factors=parse_factors(options.set),
        command=("perfboard", *sys.argv[1:]),
        board=real,
        name=options.name or "",
    )
    return options.names or ["standard"], request, options_from(MeasureOptions, options, real)


def parse_extent(given: MeasureOptions) -> Extent:
    """How much of a guide the user asks for. Raises UsageError."""
    if given.quick and given.all:
        raise UsageError("--quick, --all: are of the same guide; omit one of the two")
    return "quick" if given.quick else "all" if given.all else "usual"


def parse_parameters(texts: Sequence[str]) -> dict[str, Value]:
    """The parameters that --with gives. Raises UsageError."""
    found: dict[str, Value] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f'--with {text}: give PARAMETER=VALUE, as in "boots=5"')
        if name in found:
            raise UsageError(f"--with {name}: it is given more than once")
        found[name] = parse_value(value)
    return found
