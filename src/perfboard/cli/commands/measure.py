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
from perfboard.model.profile import Value
from perfboard.studies.measure import MeasureOptions, measure_named

# These have a study that says more of what they measure.
_STUDIES = ("boot", "wakeups")


def measure(options: argparse.Namespace) -> int:
    """Measures what is named; the report's path is the last line."""
    target, real = board_of(options.target, options.board)
    request = Request(
        target=target or "local",
        factors=parse_factors(options.set),
        command=("perfboard", *sys.argv[1:]),
        board=real,
        name=options.name or "",
    )
    given = options_from(MeasureOptions, options, real)
    parameters = parse_parameters(options.parameters)
    names = options.names or ["standard"]
    run = measure_named(names, parameters, request, given, lab_of(options))
    code = finish(run, options.json, names)
    for name in _STUDIES:
        if name in names:
            print(f"`perfboard study {name}` says more: a plan with a conclusion", file=sys.stderr)
    return code


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
