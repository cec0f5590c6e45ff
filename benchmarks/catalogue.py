# SPDX-License-Identifier: Apache-2.0
"""Each measure of the catalogue once on a virtual board, and how it ended.

usage: python benchmarks/catalogue.py [--board B] [--set FACTOR=LEVEL] [--limit S] [MEASURE ...]

One after the other, with short parameters and a time limit each. It prints a row a measure: how it
ended, the host's seconds, how many metrics it has, and what it said. A traceback, code 70 and a
time limit that passed are faults: exit code 1.
"""

import argparse
import json
import subprocess
import sys
import time
from typing import Any

PERFBOARD = (sys.executable, "-m", "perfboard.cli.main")
# Parameters by a measure's name or the first part of it; the others have their defaults.
SHORT = {
    "boot": ["boots=1"],
    "disk": ["quick=true"],
    "image.index": ["pictures=2", "width=640", "height=480"],
    "listing.search": ["packages=grep"],
    "media": ["seconds=1"],
    "memory.application": ["command=sleep 2", "settle_ms=500"],
    "memory.dd": ["quick=true"],
    "network": ["quick=true", "protocols=udp", "trial=0.2"],
    "program": ["command=md5sum /bin/busybox"],
    "stream": [
        "command=head -c 1000000 /dev/zero",
        "buffer=65536",
        "starts=5",
        "tries=1",
        "chunk=16384",
    ],
    "wakeups": ["periods=100"],
}
PROBE_NEED = "the probe's server, on the board's own system"
HUNG = (124, 137)
FAULTS = ("hung", "70", "traceback")


def asked(measure: dict[str, Any]) -> list[str]:
    """The options that make it short: those of its parameters that are short."""
    own = {parameter["name"] for parameter in measure["parameters"]}
    room = measure["name"].partition(".")[0]
    short = SHORT.get(measure["name"], SHORT.get(room, []))
    words = [f"--with={each}" for each in short if each.partition("=")[0] in own]
    return [*words, *(["--time=2"] if PROBE_NEED in measure["needs"] else [])]


def row(measure: dict[str, Any], args: argparse.Namespace) -> tuple[str, str, str, str, str]:
    """Measures it, and tells how that went."""
    words = ["timeout", "--signal=INT", "--kill-after=30", str(args.limit), *PERFBOARD, "measure"]
    words += [measure["name"], "--board", args.board, "--json", *asked(measure)]
    words += [f"--set={each}" for each in args.set]
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True)
    took = f"{time.monotonic() - began:.0f}"
    code = "hung" if done.returncode in HUNG else f"{done.returncode}"
    code = "traceback" if "Traceback" in done.stderr else code
    run = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    told = [each for result in run.get("results", []) for each in result.get("measurements", [])]
    said = [each[words] for each in told for words in ("short", "limit", "reason") if each[words]]
    said += [note.partition("\n")[0] for note in run.get("provenance", {}).get("notes", [])]
    said += [each["message"] for each in (*run.get("errors", ()), run.get("error")) if each]
    count = len(run.get("metrics", []))
    return measure["name"], code, took, f"{count}", " / ".join(said)


def main() -> int:
    """Prints the table, a row as soon as it is known."""
    parser = argparse.ArgumentParser()
    parser.add_argument("measure", nargs="*")
    parser.add_argument("--board", default="rpi2")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--limit", type=float, default=900.0)
    args = parser.parse_args()
    listed = subprocess.run([*PERFBOARD, "measures", "--json"], capture_output=True, check=True)
    measures = json.loads(listed.stdout)
    rows = []
    print("| measure | exit code | host s | metrics | said |\n|---|---|---|---|---|")
    for measure in measures:
        if measure["name"] in (args.measure or [measure["name"]]):
            rows.append(row(measure, args))
            print(f"| {' | '.join(rows[-1])} |", flush=True)
    return int(any(each[1] in FAULTS for each in rows))


if __name__ == "__main__":
    raise SystemExit(main())
