# SPDX-License-Identifier: Apache-2.0
"""How long a tune of a virtual board takes for 100 configurations whose kernels are there.

usage: python benchmarks/sweep.py [--configurations N]

Makes image and boot of each, timed, with what `perfboard tune boot` makes them by. A word of
the kernel's command line that was never there before keeps images and boots of earlier runs
from being taken. Exit code 1 where the bar is missed.
"""

import argparse
import itertools
import secrets
import shutil
import sys
import tempfile
import time
from concurrent.futures import as_completed
from pathlib import Path

from perfboard.bench.lab import Lab
from perfboard.bench.workers.local import local_workers
from perfboard.boards.loader import load_board
from perfboard.cli.progress import progress
from perfboard.factors.choose import choose
from perfboard.images.image import build_image
from perfboard.studies.tune.task import Task

MOST_S = 600.0
# Factors that one kernel serves, and whose images differ in all their parts.
FACTORS = {
    "detail": ("timed",),
    "flash": ("tuned", "delivered", "cached"),
    "console": ("full", "quiet"),
    "block": ("128k", "4k", "16k", "64k", "256k", "1024k"),
    "libraries": ("dynamic", "static"),
    "nodes": ("mdev", "saved"),
}


def own_board(folder: Path) -> Path:
    """A board file like verdex's in `folder`, of which no image and no boot is kept."""
    file = load_board("verdex").path
    shutil.copyfile(file.with_name("verdex.config"), folder / "verdex.config")
    word = f'arguments = "perfboard.sweep={secrets.token_hex(8)}"'
    text = file.read_text().replace("[image.kernel]", f"[image.kernel]\n{word}", 1)
    copied = folder / "sweep.toml"
    copied.write_text(text.replace('name = "verdex"', 'name = "sweep"', 1))
    return copied


def main() -> int:
    """Builds the kernel, and then times the configurations."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--configurations", type=int, default=100, metavar="N")
    count = parser.parse_args().configurations
    combinations = itertools.islice(itertools.product(*FACTORS.values()), count)
    with tempfile.TemporaryDirectory() as name:
        file = own_board(Path(name))
        loaded = load_board(str(file))
        build_image(choose(loaded, {}), progress())
        before = time.monotonic()
        shown = progress().step("configurations", count)
        with shown as step, local_workers(Lab(), lambda title, doing: None) as submit:
            pending = [
                submit(
                    Task(
                        str(file),
                        choose(loaded, dict(zip(FACTORS, each, strict=True))).levels,
                    )
                )
                for each in combinations
            ]
            for done, future in enumerate(as_completed(pending), 1):
                if (made := future.result()).boot is None:
                    sys.exit(f"a configuration is {made.outcome}: {made.problem}")
                step.update(done)
        took = time.monotonic() - before
    print(f"{len(pending)} configurations, images and timed boots: {took:.0f} s,")
    print(f"{took / len(pending):.1f} s each; the bar is {MOST_S:.0f} s for 100")
    return int(took / len(pending) > MOST_S / 100)


if __name__ == "__main__":
    sys.exit(main())
