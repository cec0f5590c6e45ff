# SPDX-License-Identifier: Apache-2.0
"""The lab of a command that makes a run."""

import argparse
from functools import partial

from perfboard.bench.lab import Lab
from perfboard.cli.progress import progress
from perfboard.cli.words import parse_tags
from perfboard.store.recording import recording


def lab_of(options: argparse.Namespace) -> Lab:
    """It shows its progress; its runs bear the tags that the user gives."""
    return Lab(progress(), record=partial(recording, tags=parse_tags(options.tag)))
