# SPDX-License-Identifier: Apache-2.0
"""What each core did while a command ran, on the terminal and on the page."""

from collections.abc import Mapping

from perfboard.analysis.program.metrics import Instant, trial_metrics
from perfboard.model.results.program import ProgramResult
from perfboard.model.run import Evidence, Run
from perfboard.report.html import render
from perfboard.report.sections.program.section import program_text
from perfboard.report.text import run_text
from tests.support.runs import make_run

MS = 10**12  # fs
TIMED = {
    **{"core0_instructions": 900, "core0_busy_fs": 80 * MS, "core0_paused_fs": 15 * MS},
    **{"core1_instructions": 300, "core1_busy_fs": 40 * MS, "core1_paused_fs": 0},
    **{"shared_fs": 3 * MS, "cycles_fs": 120 * MS},
}


def trial(counters: Mapping[str, int]) -> Run:
    """A command that took 100 ms."""
    begin = Instant(0, 0, dict.fromkeys(counters, 0))
    end = Instant(100_000_000, 1200, counters)
    return make_run(
        study="try",
        boots=(),
        evidence=Evidence.TIMED,
        metrics=trial_metrics(begin, end, 0.1, 0.02, 1 << 20),
        results=(ProgramResult(command=("./prog",), limit_s=600, exit_code=0),),
    )


def lines(run: Run) -> list[str]:
    text = program_text([run])
    assert all(len(line) <= 80 for line in text.splitlines())
    return [" ".join(line.split()) for line in text.splitlines()]


def test_each_core_has_its_shares_in_words() -> None:
    run = trial(TIMED)
    shown = lines(run)
    assert "0 80.00 ms, 80% 15.00 ms, 15% 5.000 ms, 5% 900" in shown
    assert "1 40.00 ms, 40% 0 s, 0% 60.00 ms, 60% 300" in shown
    assert "On average 1.2 of verdex's 2 cores were busy" in " ".join(shown)
    assert "idle 80.00 ms" in shown
    assert any(line.startswith("waited for what another core had 3.000 ms") for line in shown)
    for text in (" ".join(shown), run_text(run), render(run)):
        assert "What each core did" in text
    assert not any("core0" in line or "busy: core" in line for line in shown)


def test_a_core_that_was_busy_all_the_time_has_one_line() -> None:
    all_the_time = {"core0_busy_fs": 100 * MS, "core0_instructions": 10**10, "core1_busy_fs": 0}
    shown = lines(trial(TIMED | all_the_time | {"core0_paused_fs": 0}))
    assert "0 100.0 ms, 100% 0 s, 0% 0 s, 0% 10,000,000,000" in shown
    assert "1 0 s, 0% 0 s, 0% 100.0 ms, 100% 300" in shown


def test_cores_whose_instructions_alone_are_counted_have_no_times() -> None:
    counted = {name: count for name, count in TIMED.items() if "_fs" not in name}
    shown = lines(trial(counted))
    assert "0 900 75.0%" in shown and "1 300 25.0%" in shown
    assert not any("busy" in line or "idle" in line for line in shown)


def test_one_core_has_no_row() -> None:
    one = {"instructions": 900, "cycles_fs": 100 * MS}
    assert "What each core did" not in program_text([trial(one)])
