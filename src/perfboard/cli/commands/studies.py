# SPDX-License-Identifier: Apache-2.0
"""`perfboard studies`: what can be studied."""

import argparse

from perfboard.cli.words import print_json
from perfboard.studies.base import studies as all_studies


def studies(options: argparse.Namespace) -> int:
    """Lists the studies."""
    known = all_studies().values()
    if options.json:
        print_json(
            [
                {"name": s.name, "title": s.title, "question": s.question, "factors": s.factors}
                for s in known
            ]
        )
        return 0
    for study in known:
        print(f"{study.name}: {study.title}\n  {study.question}")
        for factor, levels in study.factors.items():
            print(f"  --set {factor}={'|'.join(levels)} (default: {levels[0]})")
    return 0
