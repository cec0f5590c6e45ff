# SPDX-License-Identifier: Apache-2.0
"""`perfboard profiles`: the device profiles there are, one of them, or a new one."""

import argparse
from pathlib import Path

from perfboard.cli.words import print_json
from perfboard.model.errors import UsageError
from perfboard.model.text import printable
from perfboard.profiles.loader import list_profiles, load_profile, new_profile, profile_path
from perfboard.report.profiles import profile_text
from perfboard.report.terminal import cells, new_table, render


def profiles(options: argparse.Namespace) -> int:
    """Prints the list, or a profile, or the path of the new one."""
    if options.action is None:
        return _list(options.json)
    if options.name is None:
        raise UsageError(f"profiles {options.action}: name the profile")
    if options.action == "new":
        print(new_profile(Path.cwd(), options.name))
        return 0
    path = profile_path(options.name)
    profile = load_profile(path)
    if options.json:
        print_json(profile.model_dump(mode="json", by_alias=True))
    elif options.file:
        print(printable(path.read_text()), end="")
    else:
        print(profile_text(profile), end="")
        print(printable(f"Its file, with the reason of each budget, by --file: {path}"))
    return 0


def _list(as_json: bool) -> int:
    known = {name: load_profile(profile_path(name)) for name in list_profiles()}
    if as_json:
        print_json([profile.model_dump(mode="json", by_alias=True) for profile in known.values()])
        return 0
    table = new_table("profile", "rows", "kind", "device", words=(0, 2, 3))
    for name, profile in known.items():
        rows = len(profile.measures) + len(profile.key_issue) + len(profile.scenario)
        kind = "budgets" if profile.judges else "a set"
        table.add_row(*cells(name, str(rows), kind, profile.profile.device))
    print(render([table]))
    return 0
