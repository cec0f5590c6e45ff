# SPDX-License-Identifier: Apache-2.0
"""A virtual boot as a capture, a console log and a trace, each on a clock of its own."""

import random
import statistics
from pathlib import Path

from perfboard.analysis.timeline.boots import clocks_of
from perfboard.analysis.timeline.join import Seen, join
from perfboard.importers.base import ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer
from perfboard.model.results.boot import BootResult, Mark
from perfboard.model.results.timeline import Sighting
from perfboard.report.export.choose import export
from perfboard.store.reading import load_run
from tests.support.golden import unpack

PINS = ("kernel.sched_init", "init.exec", "usable")
CONSOLE = ("bootloader.main", "boot.command", "kernel.sched_init", "usable")
CONSOLE_NS, TRACE_NS = 90_000, 1000


def test_the_truth_is_inside_the_stated_errors(tmp_path: Path) -> None:
    run = load_run(unpack("boot-verdex-timed", tmp_path))
    (result,) = run.results_of(BootResult)
    boot = result.boots[0]
    first = {mark.name: mark for mark in reversed(boot.marks)}
    logged = [name for name in first if name.startswith(("kernel.", "init.", "exec:"))]
    # What the capture does not show itself: the others are right to its own period.
    errors: list[tuple[float, int]] = []
    for seed in range(100):
        chance = random.Random(seed)
        gains = [1 + chance.uniform(-100, 100) / 1e6 for _ in range(3)]

        def stretched(mark: Mark, gain: float = gains[0]) -> Mark:
            return mark.model_copy(update={"t_ns": round(mark.t_ns * gain)})

        pins = boot.model_copy(update={"marks": tuple(stretched(first[name]) for name in PINS)})
        path = tmp_path / "pins.vcd"
        written = run.model_copy(update={"results": (BootResult(boots=(pins,)),)})
        path.write_text(export(written, "vcd"))
        file = SavedFile(path)
        capture = choose_importer(file, "").read(file, ImportOptions()).boots[0]

        def seen(
            name: str, marks: list[str], within_ns: int, gain: float, chance: random.Random = chance
        ) -> Seen:
            began = chance.randrange(10**12)
            return Seen(
                name,
                tuple(
                    Sighting(
                        name=mark,
                        t_ns=began
                        + round(first[mark].t_ns * gain + chance.uniform(-within_ns, within_ns)),
                        precision_ns=within_ns,
                    )
                    for mark in marks
                ),
            )

        joined = join(
            [
                *clocks_of("pins.vcd", capture),
                seen("console", [*CONSOLE], CONSOLE_NS, gains[1]),
                seen("trace", logged, TRACE_NS, gains[2]),
            ]
        )
        assert joined.reference == "pins.vcd"
        began = first[PINS[0]].t_ns * gains[0]
        for mark in joined.marks:
            true_ns = first[mark.name].t_ns * gains[0] - began
            if mark.name not in PINS:
                errors.append((abs(mark.t_ns - true_ns), mark.error_ns))
    inside = sum(error <= stated for error, stated in errors) / len(errors)
    true_ns, stated_ns = map(statistics.median, zip(*errors, strict=True))
    assert 0.90 <= inside <= 0.99
    assert stated_ns <= 3 * true_ns
    assert true_ns < 100_000
