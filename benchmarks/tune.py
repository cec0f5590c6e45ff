# SPDX-License-Identifier: Apache-2.0
"""What a tune over all factors of verdex finds, beside what study E found by hand.

usage: python benchmarks/tune.py

Runs the tune as a user does, from study E's start; kernels and boots that are there already are
not made again, else it takes an hour and more. Then boots what it promises by `study boot`. Exit
code 1 where a bar is missed.
"""

import json
import subprocess
import sys
import time
from typing import Any

# Study E, its last table: 3356 ms, then 1470 ms.
STUDY_E = 1 - 1470 / 3356
LEAST_SAVING = 0.75
MOST_APART = 1e-4
_BASELINE = "delay=calibrated"


def perfboard(*words: str) -> Any:
    """The run that the command made; its progress goes to standard error."""
    command = [sys.executable, "-m", "perfboard.cli.main", *words, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1, 5):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return json.loads(done.stdout)


def total(run: Any, boot: int) -> float:
    """From reset until usable, in s."""
    times = {mark["name"]: mark["t_ns"] for mark in run["tried"][boot]["marks"]}
    return (times["usable"] - times["reset"]) / 1e9


def main() -> int:
    """The tune, its best by hand of the study, and the bars."""
    began = time.monotonic()
    run = perfboard("tune", "boot", "--board", "verdex", "--set", _BASELINE)
    took = time.monotonic() - began
    tuning = run["tuning"]
    if tuning["best"] is None:
        sys.exit("no combination is the best")
    start = total(run, tuning["tries"][0]["boot"])
    best = tuning["tries"][tuning["best"]]
    promised = total(run, best["boot"])
    levels = [
        f"{factor}={level}" for factor, level in (tuning["baseline"] | best["levels"]).items()
    ]
    words = [word for level in levels for word in ("--set", level)]
    proof = perfboard("study", "boot", "--board", "verdex", "--boots", "1", *words)
    again = next(m["samples"][0] for m in proof["metrics"] if m["name"] == "boot.total")
    limit = tuning["limit"]
    least = limit["read_bytes"] * limit["read_s"] + limit["instructions"] * limit["instruction_s"]
    saving, apart = 1 - promised / start, abs(again / promised - 1)
    booted = sum(each["boot"] is not None for each in tuning["tries"])
    print(f"{took:.0f} s, {booted} boots of {tuning['combinations']} combinations")
    print(f"start {start:.6f} s, best {promised:.6f} s, limit {least:.3f} s")
    print("best: " + " ".join(f"{factor}={level}" for factor, level in best["levels"].items()))
    print(f"saves {saving:.1%} (bar {LEAST_SAVING:.0%}; study E by hand {STUDY_E:.0%})")
    print(f"loses {len(best['loses'])} functions (bar 0)")
    print(f"booted again: {again:.6f} s, {apart:.1e} apart (bar {MOST_APART:.0e})")
    return int(saving < LEAST_SAVING or bool(best["loses"]) or apart > MOST_APART)


if __name__ == "__main__":
    sys.exit(main())
