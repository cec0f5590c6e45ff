# SPDX-License-Identifier: Apache-2.0
"""`perfboard bisect`: which commit made a board slower?"""

import argparse
import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from perfboard.analysis.gate.change import Rules
from perfboard.bench.lab import Lab
from perfboard.cli.commands.gate import explained, parse_share
from perfboard.cli.progress import progress
from perfboard.cli.words import print_json
from perfboard.model.errors import EXIT_INCONCLUSIVE, UsageError
from perfboard.model.options import parse_command
from perfboard.report.gate.bisect import bisect_text
from perfboard.store.recording import recording
from perfboard.studies.bisect.study import bisect as find
from perfboard.studies.gate.study import GateOptions, side_of


def bisect(options: argparse.Namespace) -> int:
    """Builds and boots commits; 5 where several are left."""
    try:
        build = parse_command(options.build)
    except ValueError as error:
        raise UsageError(f"--build: {error}") from error
    rules = Rules(
        fail_above=parse_share("--fail-above", options.fail_above), patterns=tuple(options.metric)
    )
    command = ("perfboard", *sys.argv[1:])
    shown = progress()
    # The board's file may be another at each commit.
    found = find(
        Path.cwd(),
        (options.good, options.bad),
        build,
        lambda tags: side_of(options.board, GateOptions(), command).measure(
            Lab(shown, record=partial(recording, tags=tags))
        ),
        rules,
        shown,
    )
    if found.judgement:
        found = replace(found, judgement=explained(found.judgement))
    if options.json:
        print_json(asdict(found))
    else:
        print(bisect_text(found), end="")
    return 0 if len(found.first) == 1 else EXIT_INCONCLUSIVE
