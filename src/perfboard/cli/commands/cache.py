# SPDX-License-Identifier: Apache-2.0
"""`perfboard cache`: what is kept of earlier work, whether it is whole, and emptying it."""

import argparse
import os
from datetime import datetime

from perfboard.cli.words import print_json
from perfboard.host.cache.cache import cache_root
from perfboard.host.cache.entries import (
    DEFAULT,
    KEPT,
    VARIABLE,
    CacheEntry,
    find_entry_damage,
    in_use,
    list_entries,
    make_room,
    size_limit,
)
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.text import printable
from perfboard.model.units import format_size


def show(options: argparse.Namespace) -> int:
    """Shows the entries by their kind."""
    limit, entries = size_limit(), list_entries(cache_root())
    used = in_use(cache_root(), entries)
    kinds: dict[str, list[CacheEntry]] = {}
    for entry in entries:
        kinds.setdefault(entry.kind, []).append(entry)
    rows = [
        {
            "kind": kind,
            "entries": len(of_kind),
            "bytes": sum(entry.size for entry in of_kind),
            "last_use": _day(of_kind[-1].used_ns),
        }
        for kind, of_kind in sorted(kinds.items())
    ]
    total = sum(entry.size for entry in entries)
    if options.json:
        shown = {"folder": str(cache_root()), "limit": limit, "bytes": total}
        print_json({**shown, "in_use": len(used), "kinds": rows})
        return 0
    print(f"{'kind':<16}{'entries':>8}{'size':>12}  last use")
    for row in rows:
        size = format_size(sum(entry.size for entry in kinds[str(row["kind"])]))
        print(f"{row['kind']:<16}{row['entries']:>8}{size:>12}  {row['last_use']}")
    print(f"{'all':<16}{len(entries):>8}{format_size(total):>12}  {len(used)} may be in use now")
    set_by = os.environ.get(VARIABLE) or f"{DEFAULT}; {VARIABLE} sets another"
    print(printable(f"\nfolder  {cache_root()}\nlimit   {set_by}"))
    return 0


def _day(used_ns: int) -> str:
    return f"{datetime.fromtimestamp(used_ns / 1e9).astimezone():%Y-%m-%d %H:%M}"


def check(options: argparse.Namespace) -> int:
    """Reads every file of every entry."""
    entries = list_entries(cache_root())
    found = {entry: find_entry_damage(entry) for entry in entries}
    damaged = [(entry, damage) for entry, damage in found.items() if damage]
    if options.json:
        print_json(
            {
                "entries": len(entries),
                "damaged": [
                    {"kind": entry.kind, "folder": str(entry.folder), "damage": damage}
                    for entry, damage in damaged
                ],
            }
        )
    else:
        for entry, damage in damaged:
            name = entry.folder.name if entry.kind in KEPT else entry.folder.name[:12]
            print(printable(f"{entry.kind} {name}: {damage}"))
        print(f"{len(entries)} entries, {len(damaged)} damaged or of an older version.")
        if damaged:
            print("A command that needs one of these makes it again.")
    return EnvironmentLacksError.exit_code if damaged else 0


def clear(options: argparse.Namespace) -> int:
    """Removes all that no process uses."""
    removed = make_room(cache_root(), 0)
    left = list_entries(cache_root())
    size = sum(entry.size for entry in removed)
    if options.json:
        print_json({"removed": len(removed), "bytes": size, "left": len(left)})
    else:
        print(f"Removed {len(removed)} entries, {format_size(size)}.")
        if left:
            print(f"{len(left)} entries are left: another process may use them.")
    return 0
