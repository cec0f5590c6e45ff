# SPDX-License-Identifier: Apache-2.0
"""Measures the figures of the pages anew, and writes them between their comments.

usage: python benchmarks/figures.py [--list] [--check] [--only NAME ...] [--folder FOLDER]

`figures.toml` has the commands, each with the figures that its output gives. A figure's name is
its command's, a dot, and its own. Figures of one command share one run of it. Exit code 1 with
--check where a figure would change; 2 if table and pages do not fit; 4 if a figure could not be
measured: the others are written.
"""

import argparse
import fnmatch
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path

from figure_pages import (
    Figure,
    MeasuredBy,
    changes,
    places_in,
    read_pages,
    replaced,
    text_of,
    unknown_or_unused,
)
from pydantic import TypeAdapter, ValidationError

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_suffix(".toml")
# The output of another command, as the id of its run; and the first TOML of a page.
_RUN = re.compile(r"\{([a-z0-9-]+)\}")
_FILE = re.compile(r"\{(\S+\.md)\}")
# A verdict that failed or is inconclusive is a figure as well.
_DONE = {0, 1, 5}


def read_table(text: str) -> dict[str, MeasuredBy]:
    """The commands by their names. Raises ValueError."""
    return TypeAdapter(dict[str, MeasuredBy]).validate_python(tomllib.loads(text))


def figures_of(table: Mapping[str, MeasuredBy]) -> dict[str, Figure]:
    return {f"{name}.{own}": f for name, one in table.items() for own, f in one.figures.items()}


def chosen(pages: Mapping[str, str], known: set[str], only: list[str]) -> set[str]:
    """The figures that one of the patterns names, or one that is a page's. Raises ValueError."""
    found: set[str] = set()
    for word in only:
        fit = set(fnmatch.filter(known, word))
        for name, page in pages.items():
            if name == word or name.endswith(f"/{word}"):
                fit |= {place.name for place in places_in(page)}
        if not fit:
            raise ValueError(f'"{word}" is neither a figure nor a page with one; see --list')
        found |= fit
    return found if only else known


def needed(table: Mapping[str, MeasuredBy], figures: set[str]) -> list[str]:
    """The commands of these figures, each after those whose runs it reads."""
    order: list[str] = []

    def add(name: str) -> None:
        if name not in order:
            for other in _RUN.findall(table[name].command):
                add(other)
            order.append(name)

    for figure in sorted(figures):
        add(figure.partition(".")[0])
    return order


class Commands:
    """Runs commands in a folder of their own, and keeps what each printed there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data")}

    def output(self, name: str, command: str) -> str:
        """What the command printed, now or before. Raises ValueError if it fails."""
        kept = self.folder / f"{name}.out"
        if not kept.exists():
            words = shlex.split(_RUN.sub(self._run_id, _FILE.sub(self._page_file, command)))
            with (self.folder / f"{name}.log").open("w") as log:
                done = subprocess.run(
                    [sys.executable, "-m", "perfboard.cli.main", *words],
                    cwd=self.folder,
                    env=self._environment,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    check=False,
                )
            if done.returncode not in _DONE:
                why = (self.folder / f"{name}.log").read_text().strip().rpartition("\n")[2]
                raise ValueError(f"exit code {done.returncode}: {why}")
            kept.write_text(done.stdout)
        return kept.read_text()

    def _run_id(self, match: re.Match[str]) -> str:
        kept = self.folder / f"{match[1]}.out"
        found = re.search(r'"id": "([^"]+)"', kept.read_text() if kept.exists() else "")
        if found is None:
            raise ValueError(f"{match[1]} has no run")
        return found[1]

    def _page_file(self, match: re.Match[str]) -> str:
        text = re.findall(r"```toml\n(.*?)```", (ROOT / match[1]).read_text(), re.DOTALL)[0]
        name = re.findall(r'^name = "([a-z-]+)"$', text, re.MULTILINE)[0]
        (self.folder / f"{name}.toml").write_text(text)
        return f"./{name}.toml"


def measure(
    table: Mapping[str, MeasuredBy], figures: set[str], commands: Commands
) -> tuple[dict[str, str], list[str]]:
    """Each figure as it is now, and why others could not be measured."""
    order, began = needed(table, figures), time.monotonic()
    texts, problems = {}, []
    for number, name in enumerate(order, 1):
        one, so_far = table[name], (time.monotonic() - began) / 60
        print(f"{number} of {len(order)}, {so_far:.1f} min: perfboard {one.command}", flush=True)
        try:
            output = commands.output(name, one.command)
        except ValueError as error:
            problems.append(f"{name}: {error}")
            continue
        for own in sorted(own for own in one.figures if f"{name}.{own}" in figures):
            try:
                texts[f"{name}.{own}"] = text_of(one.figures[own], output)
            except ValueError as error:
                problems.append(f"{name}.{own}: {error}")
    print(f"{len(order)} commands in {(time.monotonic() - began) / 60:.1f} min")
    return texts, problems


def show_list(table: Mapping[str, MeasuredBy], pages: Mapping[str, str], figures: set[str]) -> None:
    """Each figure as the pages have it, after its command."""
    for name, one in table.items():
        own = {f"{name}.{own}" for own in one.figures} & figures
        if own:
            print(f"perfboard {one.command}")
        for path, page in pages.items():
            for place in places_in(page):
                if place.name in own:
                    text = " ".join(page[place.start : place.end].split())
                    print(f"    {place.name:32} {path:32} {text[:40]}")


def show_changes(pages: Mapping[str, str], texts: Mapping[str, str]) -> bool:
    """Prints what each page's figures become; whether one changes."""
    measured = [
        (path, changes(place.name, page[place.start : place.end], texts[place.name]))
        for path, page in pages.items()
        for place in places_in(page)
        if place.name in texts
    ]
    changed = [f"{path}: {words}" for path, words in measured if words]
    print("\n".join([*changed, f"{len(changed)} of {len(measured)} figures differ"]))
    return bool(changed)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="print the figures, measure nothing")
    parser.add_argument("--check", action="store_true", help="print what changes, write nothing")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="figures or pages")
    parser.add_argument(
        "--folder", type=Path, help="keep outputs and runs there, and take those that are there"
    )
    options = parser.parse_args()
    pages = read_pages(ROOT)
    try:
        table = read_table(TABLE.read_text())
        known = set(figures_of(table))
        problems = [*unknown_or_unused(pages, known)]
        figures = set() if problems else chosen(pages, known, options.only)
    except (ValueError, ValidationError) as error:
        problems = [str(error)]
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 2
    if options.list:
        show_list(table, pages, figures)
        return 0
    with tempfile.TemporaryDirectory() as private:
        folder = (options.folder or Path(private)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        texts, problems = measure(table, figures, Commands(folder))
    changed = show_changes(pages, texts)
    if not options.check:
        # Somebody may have edited them meanwhile.
        for path, page in read_pages(ROOT).items():
            (ROOT / path).write_text(replaced(page, texts))
    if problems:
        print("\n".join(["not measured:", *problems]), file=sys.stderr)
        return 4
    return int(changed and options.check)


if __name__ == "__main__":
    sys.exit(main())
