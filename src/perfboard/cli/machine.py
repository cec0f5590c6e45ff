# SPDX-License-Identifier: Apache-2.0
"""`perfboard doctor`: what this machine lacks."""

import argparse

from perfboard.cli.words import print_json
from perfboard.host.tools import TOOLS, missing_tools, require_tools
from perfboard.model.board.architecture import ARCHITECTURES
from perfboard.model.errors import EnvironmentLacksError
from perfboard.targets.virtual.emulator import emulator_version


def doctor(options: argparse.Namespace) -> int:
    """Names each missing tool, and the command that installs it."""
    missing = missing_tools()
    problems = []
    try:
        require_tools(use for tool in TOOLS for use in tool.uses)
        for arch in ARCHITECTURES:
            emulator_version(arch.emulator)
    except EnvironmentLacksError as error:
        problems.append(str(error))
    if options.json:
        print_json({"missing": {t.name: t.package for t in missing}, "problems": problems})
    else:
        for tool in TOOLS:
            print(f"{'MISSING' if tool in missing else 'here':<9}{tool.name}")
        print("\n" + ("\n".join(problems) or "Nothing is missing."))
    return EnvironmentLacksError.exit_code if problems else 0
