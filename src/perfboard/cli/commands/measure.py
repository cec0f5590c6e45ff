# SPDX-License-Identifier: Apache-2.0
"""`perfboard measure` and `perfboard probes`."""

import argparse
import sys

from perfboard.bench.request import Request
from perfboard.binaries.applets import all_applets
from perfboard.cli.commands.study import finish
from perfboard.cli.lab import lab_of
from perfboard.cli.options import options_from
from perfboard.cli.words import parse_factors, print_json
from perfboard.studies.probing import StandardOptions, measure_target


def measure(options: argparse.Namespace) -> int:
    """Runs the probes; the report's path is the last line."""
    request = Request(
        target=options.target,
        factors=parse_factors(options.set),
        command=("perfboard", *sys.argv[1:]),
        name=options.name or "",
    )
    given = options_from(StandardOptions, options)
    run = measure_target("measure", request, options.probes, given, lab_of(options))
    return finish(run, options.json)


def probes(options: argparse.Namespace) -> int:
    """Lists the probes."""
    applets = all_applets()
    if options.json:
        print_json([{"name": applet.name, "summary": applet.summary} for applet in applets])
        return 0
    width = max(len(applet.name) for applet in applets)
    for applet in applets:
        print(f"{applet.name:<{width}}  {applet.summary}")
    return 0
