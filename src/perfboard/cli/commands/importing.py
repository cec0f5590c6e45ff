# SPDX-License-Identifier: Apache-2.0
"""`perfboard import`: saved files become a run."""

import argparse
import sys
from pathlib import Path

from perfboard.cli.finish import finish
from perfboard.cli.options import options_from
from perfboard.cli.progress import progress
from perfboard.cli.words import parse_tags
from perfboard.importers.base import ImportOptions
from perfboard.importers.record import import_files


def import_run(options: argparse.Namespace) -> int:
    """Imports the files; the report's path is the last line."""
    given = options_from(ImportOptions, options)
    paths = [Path(name) for name in options.files]
    run = import_files(
        paths, given, ("perfboard", *sys.argv[1:]), parse_tags(options.tag), progress()
    )
    return finish(run, options.json)
