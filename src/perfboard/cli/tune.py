# SPDX-License-Identifier: Apache-2.0
"""`perfboard tune`: what to change, so that a board boots faster."""

import argparse
import sys

from perfboard.cli.options import options_from
from perfboard.cli.progress import progress
from perfboard.cli.study import finish
from perfboard.cli.words import parse_factors
from perfboard.studies.base import Request, run_study
from perfboard.studies.lab import Lab
from perfboard.studies.tune.plan import TuneOptions
from perfboard.studies.tune.study import TUNE


def tune(options: argparse.Namespace) -> int:
    """Tries the factors, ranks them, and proves the best; the report's path is the last line."""
    request = Request(
        target=options.target or f"virtual:{options.board}",
        factors=parse_factors(options.set),
        command=("perfboard", *sys.argv[1:]),
    )
    given = options_from(TuneOptions, options, board=options.board)
    return finish(run_study(TUNE, request, given, Lab(progress())), options.json)
