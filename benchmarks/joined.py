# SPDX-License-Identifier: Apache-2.0
"""How near the truth a boot is that several instruments saw: usage: python benchmarks/joined.py.

A recorded boot of a virtual board is written as a logic analyser's VCD, as a console log (by
grabserial, ts or tio) and as the text of ftrace, each on a clock of its own with a drift of up to
100 ppm, and a hundred times. `perfboard import --into` joins each. Exit code 1 where a bar is
missed: 90 to 99 of 100 true times inside the stated error, and with two common marks the median
stated error at most 3 times the true one, and that below 100 us. With one channel, one mark joins
the capture to the rest, and an error is a drift times a distance: medians of products say less.
"""

import argparse
import contextlib
import io
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support.seen_boot import joined_errors, seen_boot


def main() -> int:
    """The variants with one, two and three channels, and the bars."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variants", type=int, default=100)
    count = parser.parse_args().variants
    missed = False
    for channels in (1, 2, 3):
        errors: list[tuple[float, int]] = []
        for seed in range(count):
            with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
                os.environ["XDG_DATA_HOME"] = name
                errors += joined_errors(seen_boot(Path(name) / "seen", seed), channels)
        inside = sum(error <= stated for error, stated in errors) / len(errors)
        true_ns, stated_ns = map(statistics.median, zip(*errors, strict=True))
        print(
            f"{channels} channels: {inside:.1%} of {len(errors)} inside (bar 90 to 99), median "
            f"error {true_ns / 1e3:.2f} us, stated {stated_ns / 1e3:.2f} us, "
            f"{stated_ns / true_ns:.1f} times (bar 3)",
            flush=True,
        )
        missed |= not 0.9 <= inside <= 0.99
        missed |= channels > 1 and (stated_ns > 3 * true_ns or true_ns >= 100_000)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
