# SPDX-License-Identifier: Apache-2.0
"""What is measured on a virtual board, so that it can be held against published figures."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from perfboard.analysis.verify.rows import Verification, row_of
from perfboard.bench.lab import Lab
from perfboard.bench.request import Request
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.published import PublishedValue
from perfboard.model.run import Run, RunError, Status
from perfboard.report.verification.text import verification_text
from perfboard.studies.boot.study import BootOptions
from perfboard.studies.probing import ProbeOptions
from perfboard.studies.verify.plan import make_plan
from perfboard.studies.verify.programs import MarginOf, Programs
from perfboard.studies.verify.study import Studies, verify_board
from tests.support.board_files import RPI2, VERDEX
from tests.support.runs import make_metric as metric
from tests.support.runs import make_run


class Board:
    """Answers as the studies of a board do, and knows what was asked for."""

    def __init__(
        self, probed: Run | None = None, booted: Run | None = None, done: Run | None = None
    ) -> None:
        self._probed, self._booted = probed or make_run(), booted or make_run()
        self._done = done or make_run()
        self.probes: list[tuple[Request, Sequence[str], float]] = []
        self.boots: list[dict[str, str]] = []
        self.jobs: list[tuple[Sequence[str], dict[str, str]]] = []
        self.stopped = False

    def verify(self, name: str) -> Verification:
        studies = Studies(self._boot, self._measure, self._programs, self._jobs)
        return verify_board(make_plan(name, 60), ("perfboard",), Lab(), studies)

    def _boot(self, request: Request, options: BootOptions, lab: Lab) -> Run:
        assert options.boots == 1
        self.boots.append(dict(request.factors))
        return self._booted

    def _measure(
        self, name: str, request: Request, probes: Sequence[str], options: ProbeOptions, lab: Lab
    ) -> Run:
        self.probes.append((request, probes, options.time))
        return self._probed

    def _jobs(self, names: Sequence[str], request: Request, lab: Lab) -> Run:
        self.jobs.append((names, dict(request.factors)))
        return self._done

    def _programs(
        self, board: str, figures: Sequence[PublishedValue], margin: MarginOf, *_: object
    ) -> Programs:
        rows = {n: row_of(f, None, margin(f.metric)) for n, f in enumerate(figures) if f.program}
        return Programs(rows, ("run-9",), interrupted=self.stopped)


def test_a_board_is_measured_once_for_each_set_of_levels() -> None:
    board = Board(make_run(metrics=(metric("cpu.clock", 1e9, "higher"),)))
    found = board.verify("rpi2")
    ((request, probes, _),) = board.probes
    assert (request.target, request.factors) == ("virtual:rpi2", {"detail": "timed"})
    assert probes == [
        *("cpu.clock", "memory.bandwidth", "memory.copy", "memory.latency", "memory.random")
    ]
    assert found.rows[0].ratio == pytest.approx(1e9 / 9e8)
    assert (found.parameters[0].name, found.parameters[0].within) == ("clock", False)
    assert found.accuracy is None and found.rows[-1].virtual is None
    ((names, _),) = board.jobs
    assert list(names) == ["network.wireguard"] and len(found.runs) == 3
    text = verification_text(found)
    assert "No held-out figure was measured" in text and " were not measured, marked absent" in text


def test_other_measures_have_a_run_of_their_own(tmp_path: Path) -> None:
    name = 'metric = "network.wireguard.bandwidth"'
    (own := tmp_path / "own.toml").write_text(
        RPI2.replace(f"[[published]]\n{name}", f"[[timing.published]]\n{name}")
    )
    board = Board(done=make_run(metrics=(metric("network.wireguard.bandwidth", 21.6e6, "higher"),)))
    found = board.verify(str(own))
    assert board.jobs == [(["network.wireguard"], {"detail": "timed"})]
    ((_, probes, _),) = board.probes
    assert "network.wireguard" not in probes
    row = next(row for row in found.rows if row.published.metric.startswith("network.wireguard"))
    # 192 Mbit/s were published.
    assert row.ratio == pytest.approx(0.9)


def test_this_times_margins_are_of_the_figures_that_stated_ones_are_of() -> None:
    """A size of memory is no time: no margin is made of it."""
    metrics = (
        metric("system.ram.available", 1e7, "higher", by="free+cache"),
        metric("memory.tmpfs.bandwidth", 1e7, "higher"),
    )
    found = Board(make_run(metrics=metrics)).verify("bifferboard")
    assert [row.published.metric for row in found.rows if row.ratio] == [m.name for m in metrics]
    assert {work: stated.rows for work, stated in found.found.items()} == {"memory": 1}


def test_flash_is_measured_by_itself_and_for_longer() -> None:
    board = Board()
    board.verify("verdex")
    parameters, *of_flash = [
        (request.factors["flash"], time_s, probes) for request, probes, time_s in board.probes
    ]
    assert parameters[:2] == ("tuned", 60) and "flash.read" not in parameters[2]
    assert of_flash == [(level, 240, ["flash.read"]) for level in ("tuned", "delivered", "cached")]


def test_boots_are_measured_by_the_boot_study() -> None:
    booted = (
        *(metric("boot.kernel.load", 0.8), metric("boot.kernel.init", 0.3)),
        *(metric("image.kernel.size", 1e6), metric("boot.kernel.console", 7404.0)),
        *(metric("boot.total", 5.0), metric("boot.root.mount", 0.1), metric("boot.userspace", 1.0)),
    )
    board = Board(booted=make_run(metrics=booted))
    found = board.verify("verdex")
    tuned = {"detail": "timed", "flash": "tuned", "dcache": "on"}
    # A default that is named makes no other boot: `copied` is none.
    silent = {"console": "quiet", "delay": "preset"}
    direct = {"bootloader": "none", "dcache": "off"}
    copied = {**direct, "copy": "bytes"}
    levels: tuple[dict[str, str], ...] = (
        *({"flash": "cached"}, copied, {}, {"console": "quiet"}, {**direct, "kernel": "flash"}),
        *({**silent, **copied}, {**silent, **direct, "kernel": "xip"}),
        *({"delay": level} for level in ("calibrated-2.6", "preset")),
    )
    assert board.boots == [{**tuned, **level} for level in levels]
    load = next(row for row in found.rows if row.published.metric == "boot.kernel.load")
    assert load.ratio == pytest.approx(0.8 * 0.88576 / 0.73)
    assert load.scaled_by == pytest.approx(0.88576)
    text = " ".join(verification_text(found).split())
    assert "image.kernel.size, which is 1000000, of 800.0 ms" in text
    assert "dcache=off, less kernel=flash bootloader=none dcache=off, times" in text
    savings = [row for row in found.rows if row.published.less]
    assert {(row.virtual, row.within) for row in savings} == {(0, False)}
    assert "0 of 6 held-out differences are within 25%" in verification_text(found)


def test_a_run_that_ended_early_verifies_nothing() -> None:
    run = make_run(status=Status.FAILED, errors=(RunError(kind="hang", message="still"),))
    with pytest.raises(TargetError, match="ended early: still"):
        Board(run).verify("rpi2")


def test_an_interrupted_first_run_leaves_nothing_to_say() -> None:
    with pytest.raises(KeyboardInterrupt):
        Board(make_run(status=Status.ABORTED)).verify("rpi2")


def test_a_later_interruption_keeps_what_was_measured() -> None:
    probed = make_run(metrics=(metric("cpu.clock", 9e8, "higher"),))
    board = Board(probed, make_run(status=Status.ABORTED))
    found = board.verify("verdex")
    assert found.interrupted and len(found.runs) == len(board.probes) and len(board.boots) == 1
    board = Board(probed)
    board.stopped = True
    found = board.verify("rpi2")
    assert found.interrupted and found.rows[0].ratio == 1
    assert f"Interrupted: {len(found.rows) - 1} rows of" in verification_text(found)


def test_a_board_without_published_figures_has_parameters_all_the_same() -> None:
    found = Board(make_run(metrics=(metric("cpu.clock", 192e6, "higher"),))).verify("omap1710")
    assert (found.rows, found.accuracy) == ((), None)
    assert [row.within for row in found.parameters] == [True, None]
    assert "No parameter is off by more than 3%." in verification_text(found)


def test_a_board_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(VERDEX.split("[timing]")[0])
    (tmp_path / "verdex.config").write_text("")
    with pytest.raises(UsageError, match="no timing model to be verified"):
        Board().verify(str(tmp_path / "own.toml"))


def test_a_level_that_there_is_not_is_found_before_anything_runs(tmp_path: Path) -> None:
    first, _, rest = RPI2.rpartition('metric = "program.')
    (tmp_path / "own.toml").write_text(
        f'{first}factors = {{ root = "warp" }}\nmetric = "program.{rest}'
    )
    board = Board()
    with pytest.raises(UsageError, match="warp"):
        board.verify(str(tmp_path / "own.toml"))
    assert not board.probes + board.boots
