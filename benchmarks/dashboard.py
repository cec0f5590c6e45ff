# SPDX-License-Identifier: Apache-2.0
"""Time and size of a dashboard over 2000 generated runs: `python benchmarks/dashboard.py`.

They are boots of 10 boards, made of a recorded one of verdex, with noise of 1% and a step of 5%
each 50 runs. They lie in a folder of their own, which is removed.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.golden import unpack

from perfboard.model.run import BoardSummary, Run
from perfboard.store.reading import load_run

_BOARDS, _RUNS = 10, 200


def generate(runs: Path) -> None:
    """Writes the runs below the folder `runs`."""
    with tempfile.TemporaryDirectory() as folder:
        recorded = load_run(unpack("boot-verdex-timed", Path(folder)))
    chance = random.Random(3)  # noqa: S311
    for board in range(_BOARDS):
        for number in range(_RUNS):
            factor = 1.05 ** (number // 50) * chance.gauss(1, 0.01)
            run = _varied(recorded, f"board-{board}", number, factor)
            (runs / run.id).mkdir(parents=True)
            (runs / run.id / "run.json").write_text(run.to_json())


def _varied(run: Run, board: str, number: int, factor: float) -> Run:
    started = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number)
    metrics = tuple(
        metric.model_copy(update={"samples": tuple(factor * each for each in metric.samples)})
        for metric in run.metrics
    )
    return run.model_copy(
        update={
            "id": f"{started:%Y%m%d-%H%M%S}-boot-{board}-0000",
            "board": BoardSummary(name=board, title=board, description=""),
            "started": started,
            "tags": {"branch": "main", "commit": f"{number:07x}"},
            "artifacts": (),
            "metrics": metrics,
        }
    )


def main() -> None:
    """Prints the seconds of the first and the second site, and the bytes of it."""
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder) / "data/perfboard/runs")
        site = Path(folder) / "site"
        environment = {
            **os.environ,
            "XDG_DATA_HOME": f"{folder}/data",
            "XDG_CACHE_HOME": f"{folder}/cache",
        }
        for what in ("without an index", "with an index"):
            began = time.monotonic()
            command = [sys.executable, "-m", "perfboard.cli.main", "dashboard", str(site)]
            subprocess.run(command, check=True, env=environment, capture_output=True)
            print(f"{_BOARDS * _RUNS} runs, {what}: {time.monotonic() - began:.1f} s")
        sizes = [path.stat().st_size for path in site.iterdir()]
        print(f"{sum(sizes):,} bytes in {len(sizes)} pages, the largest of {max(sizes):,}")


if __name__ == "__main__":
    main()
