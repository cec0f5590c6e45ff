# SPDX-License-Identifier: Apache-2.0
"""Damages the files of a cache one after the other: the next command must build them again.

    XDG_CACHE_HOME=/a/copy python benchmarks/damage.py [--files N] [--kinds K,...] -- build verdex

The command runs once, to learn which entries it uses. Then each of their files (or N at random of
an entry) is cut, emptied, deleted and flipped in turn, with the command after each. It must end
with exit code 0, say so, and leave the file as it was. `--trees N` instead checks that each kind of
damage is found in N files at random of each kernel's source, and puts each file back.

Work on a copy of a cache: what is damaged is built or fetched again.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from perfboard.host.cache.cache import cache_root, hash_file
from perfboard.host.cache.entries import CacheEntry, find_entry_damage, list_entries, manifest_of
from perfboard.host.cache.manifest import NAME, find_damage

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support.damage import DAMAGES


def run(words: list[str]) -> subprocess.CompletedProcess[str]:
    """One command."""
    command = [sys.executable, "-m", "perfboard.cli.main", *words]
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


def files_of(entry: CacheEntry, count: int | None) -> list[Path]:
    """The files of an entry, or some of them."""
    files = sorted(p for p in entry.folder.rglob("*") if p.is_file() and not p.is_symlink())
    if count is None or len(files) <= count:
        return files
    return random.sample(files, count)


def sweep(words: list[str], kinds: list[str], count: int | None) -> int:
    """Damages what the command uses; how often something was not as it should be."""
    began = time.time_ns()
    first = run(words)
    if first.returncode:
        sys.exit(first.stderr)
    used = [entry for entry in list_entries(cache_root()) if entry.used_ns >= began]
    wrong = 0
    for entry in used:
        if entry.folder.name in ("ccache",) or (kinds and entry.kind not in kinds):
            continue
        tries = 0
        for file in files_of(entry, count):
            before = hash_file(file)
            for name, damage in DAMAGES.items():
                if not file.stat().st_size and name != "deleted":
                    continue
                damage(file)
                done = run(words)
                faults = [
                    words
                    for words, fault in (
                        (f"exit code {done.returncode}", done.returncode != 0),
                        ("nothing was said", "cannot be used" not in done.stderr),
                        ("the entry is not whole", bool(find_entry_damage(entry))),
                        # The manifest has times of change only where a folder is worked in.
                        ("the file is another", file.name != NAME and hash_file(file) != before),
                    )
                    if fault
                ]
                tries += 1
                if faults:
                    wrong += 1
                    print(f"  {file.relative_to(cache_root())} {name}: {', '.join(faults)}")
                    print("  " + "\n  ".join(done.stderr.splitlines()[-3:]), flush=True)
        print(f"{entry.kind} {entry.folder.name[:12]}: {tries} damages", flush=True)
    return wrong


def check_trees(count: int) -> int:
    """Damages files of the kernels' sources; how often that was not found."""
    wrong = 0
    for entry in list_entries(cache_root()):
        if entry.kind != "kernel-tree" or not entry.usable:
            continue
        files = [file for file in files_of(entry, None) if file.stat().st_size]
        for file in random.sample(files, count):
            with tempfile.TemporaryDirectory() as kept:
                shutil.copy2(file, kept)
                for name, damage in DAMAGES.items():
                    damage(file)
                    # A damage that keeps the time of the file is found, too.
                    if name == "flipped":
                        status = (Path(kept) / file.name).stat()
                        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
                    found = find_damage(
                        entry.folder, manifest_of(entry.folder), None, unchanged=True
                    )
                    if str(file.relative_to(entry.folder)) not in found:
                        wrong += 1
                        print(f"  {file} {name}: found {found!r}")
                    shutil.copy2(Path(kept) / file.name, file)
        print(f"kernel-tree {entry.folder.name[:12]}: {count} files, {len(DAMAGES)} damages each")
    return wrong


def main() -> None:
    """Exit code 1 if something was not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, help="so many files of an entry at random")
    parser.add_argument("--kinds", default="", help="only these kinds, with commas between them")
    parser.add_argument("--trees", type=int, help="so many files of each kernel's source")
    parser.add_argument("words", nargs="*", help="the command, as in: build verdex")
    options = parser.parse_args()
    if "XDG_CACHE_HOME" not in os.environ:
        sys.exit("XDG_CACHE_HOME: set it to a copy of a cache")
    if options.trees:
        wrong = check_trees(options.trees)
    else:
        wrong = sweep(options.words, [k for k in options.kinds.split(",") if k], options.files)
    print(f"{wrong} not as they should be")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
