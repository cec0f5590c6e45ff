# SPDX-License-Identifier: Apache-2.0
"""What the scope costs the host, and how exactly a boot of verdex repeats.

usage: python benchmarks/boot.py [--pairs N] [--boots N]

Prints the host time of a warm boot with the scope and without it, in turn, and
their ratio pair by pair; then the spread of every phase over many boots of one
image; then the instructions of a boot with 2 marks and with 200. Exit code 1 where the
ratio or the spread is beyond its bar, or the marks cost the guest an instruction.
"""

import argparse
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from threading import Event

from perfboard.analysis.boot.metrics import boot_rows
from perfboard.analysis.boot.reading.scope_log import parse_scope
from perfboard.analysis.boot.record import boot_record
from perfboard.bench.boot.virtual import marks_to_watch
from perfboard.binaries.scope import build_plugin
from perfboard.boards.loader import LoadedBoard, load_board
from perfboard.cli.progress import progress
from perfboard.factors.choose import choose
from perfboard.images.image import build_image
from perfboard.instruments.scope import Scope, WatchedMark
from perfboard.model.results.boot import Boot
from perfboard.targets.virtual.target import VirtualTarget

MOST_RATIO = 1.35
MOST_SPREAD = 1e-6


class Bench:
    """Boots one image again and again, with whatever marks."""

    def __init__(self, loaded: LoadedBoard) -> None:
        board = loaded.board
        self.image = build_image(choose(loaded, {}), progress())
        self.marks = list(marks_to_watch(board, self.image))
        # The end is a line of the console, which is there with the scope and without.
        plan = board.boot.model_copy(update={"usable": "console:^system usable"})
        self.board = board.model_copy(update={"boot": plan})
        self.variant = choose(replace(loaded, board=self.board), {"detail": "counted"})
        self.plugin = build_plugin(progress())

    def boot(self, marks: list[WatchedMark]) -> tuple[float, str, bytes]:
        """Host seconds, the scope's log, the console's bytes."""
        scopes = [Scope(self.plugin, marks, self.board.console.data_register)] if marks else []
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            target = VirtualTarget(self.variant, self.image)
            with target.running(target.command(), scopes, folder) as watch:
                seconds = watch.until_usable(lambda _: None, Event())
                watch.end()
            log = (folder / "scope.jsonl").read_text() if marks else ""
            return seconds, log, (folder / "console.log").read_bytes()

    def cost(self, pairs: int) -> bool:
        """The ratio of host times, pair by pair, after one boot to warm up; whether it is kept."""
        self.boot(self.marks)
        ratios, with_scope, without = [], [], []
        for _ in range(pairs):
            with_scope.append(self.boot(self.marks)[0])
            without.append(self.boot([])[0])
            ratios.append(with_scope[-1] / without[-1])
        print(f"warm boot to usable, host time, {pairs} pairs, median:")
        print(f"  with the scope     {statistics.median(with_scope):.2f} s")
        print(f"  without            {statistics.median(without):.2f} s")
        print(
            f"  ratio              {statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f}); the bar is {MOST_RATIO}"
        )
        return statistics.median(ratios) <= MOST_RATIO

    def exactness(self, boots: int) -> bool:
        """The largest relative spread of any phase or step; whether it is kept."""
        found: list[Boot] = []
        for _ in range(boots):
            _, log, console = self.boot(self.marks)
            found.append(
                boot_record(
                    log, console, self.board.boot.usable, 1 << self.board.machine.icount_shift, None
                )
            )
        print(f"{boots} boots of one image, spread of each phase:")
        worst = 0.0
        for row in boot_rows(found):
            spread = (max(row.seconds) - min(row.seconds)) / statistics.median(row.seconds)
            worst = max(worst, spread)
            print(f"  {row.name:<32} {statistics.median(row.seconds):9.6f} s  {spread:.1e}")
        print(f"  worst {worst:.1e}; the bar is {MOST_SPREAD:.0e}")
        return worst <= MOST_SPREAD

    def marks_cost(self) -> bool:
        """The instructions of the boot with few marks and with many; whether they are as many."""
        few = [mark for mark in self.marks if mark.name in ("kernel.sched_init", "init.exec")]
        names = sorted(name for name in self.image.symbols if name.startswith("sys_"))[:198]
        many = few + [
            WatchedMark(f"function.{n}", self.image.symbols[name], every=True)
            for n, name in enumerate(names)
        ]
        print("instructions from reset to the line that says usable:")
        counts = []
        for marks in (few, many):
            _, log, console = self.boot(marks)
            stamps = parse_scope(log.splitlines()).stamps
            assert stamps.instructions is not None  # noqa: S101 - the scope counts
            counts.append(stamps.instructions[console.index(b"system usable")])
            print(f"  with {len(marks):>3} marks     {counts[-1]}")
        return counts[0] == counts[1]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--boots", type=int, default=10)
    options = parser.parse_args()
    bench = Bench(load_board("verdex"))
    kept = [bench.cost(options.pairs), bench.exactness(options.boots), bench.marks_cost()]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
