# SPDX-License-Identifier: Apache-2.0
"""Writes the ratios that `perfboard boards verify BOARD --json` found into the boards' files.

usage: python benchmarks/ratios.py FILE ...

A FILE has what one such command printed. Margins are made of these ratios, so a change of a timing
model ends with this. It prints each ratio that moved by more than 0.005. Rows that were not
measured lose theirs. A program's row gets the seconds that its run took here, too: the next is
expected to take as long. Exit code 2 if the rows are not those of the board's file.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from perfboard.boards.loader import load_board

_HEAD = "[[timing.published]]\n"
_RATIO = re.compile(r"^ratio = (\S+)\n", re.MULTILINE)
_HOST = re.compile(r"^host = \S+\n", re.MULTILINE)


def with_ratios(text: str, rows: Sequence[Mapping[str, Any]]) -> tuple[str, list[str]]:
    """The board's file with the rows' ratios, and what changed. Raises ValueError."""
    before, *blocks = text.split(_HEAD)
    if len(blocks) != len(rows):
        raise ValueError(f"{len(rows)} rows were measured, and the file has {len(blocks)}")
    said = []
    for place, (block, row) in enumerate(zip(blocks, rows, strict=True)):
        if f'metric = "{row["metric"]}"\n' not in block:
            raise ValueError(f"row {place + 1} of the file is not {row['metric']}")
        old = _RATIO.search(block)
        block = _RATIO.sub("", block)
        ratio = row["ratio"] if row["use"] != "calibration" and row["modelled"] else None
        lines = f"ratio = {ratio:.4g}\n" if ratio else ""
        if row["host_s"]:
            # Of a run that failed there is no other cost.
            block = _HOST.sub("", block)
            digits = f"{row['host_s']:.2g}"
            lines += f"host = {float(digits):g}\n"
        end = block.index("\n", block.index("\nuse = ") + 1) + 1
        block = f"{block[:end]}{lines}{block[end:]}"
        was = float(old[1]) if old else 0.0
        if abs((ratio or 0.0) - was) > 0.005:
            name = " ".join([row["metric"], *row["labels"].values(), *row["factors"].values()])
            said.append(f"{name}: {f'{was:.3f}' if was else 'none'} -> {ratio or 0.0:.3f}")
        blocks[place] = block
    return _HEAD.join([before, *blocks]), said


def main(files: Sequence[str]) -> int:
    if not files or files[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    for name in files:
        found = json.loads(Path(name).read_text())
        path = load_board(found["board"]).path
        try:
            text, said = with_ratios(path.read_text(), found["rows"])
        except ValueError as error:
            print(f"{path.name}: {error}; {name} is of another file", file=sys.stderr)
            return 2
        path.write_text(text)
        print(f"{path.name}: {len(said)} of {len(found['rows'])} ratios moved")
        for line in said:
            print(f"  {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
