# SPDX-License-Identifier: Apache-2.0
"""A virtual board's figures beside the published ones."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from perfboard.analysis.verify.parameters import Parameter
from perfboard.analysis.verify.rows import (
    Verification,
    accuracy,
    checked_ranges,
    extrapolated,
    measured,
    probes_for,
    row_of,
)
from perfboard.cli.main import main
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.progress import SilentProgress
from perfboard.model.published import Program, Published, Scale
from perfboard.model.run import Metric, RunError, Status
from perfboard.report.sections.verify.verification import verification_text
from perfboard.studies.base import Request
from perfboard.studies.verify import study as verifying
from perfboard.studies.verify.study import verify_board
from tests.support.runs import make_metric as metric
from tests.support.runs import make_run

BOARDS = Path(__file__).parents[3] / "src" / "perfboard" / "boards"


def figure(metric: str, value: float, use: str = "held-out", **labels: str) -> Published:
    return Published.model_validate(
        {
            "metric": metric,
            "labels": labels,
            "value": value,
            "unit": "s",
            "use": use,
            "source": "somebody's bench",
            "kind": "measured",
        }
    )


def test_the_best_loop_at_the_largest_size_counts() -> None:
    metrics = [
        metric("memory.bandwidth", value, "higher", operation=operation, size=size, loop=loop)
        for operation, size, loop, value in (
            ("copy", "1024", "ldm", 90.0),
            ("copy", "4096", "ldm", 10.0),
            ("copy", "4096", "neon", 12.0),
            ("read", "8192", "neon", 50.0),
        )
    ]
    assert measured(metrics, figure("memory.bandwidth", 1, operation="copy")) == 12.0
    assert measured(metrics, figure("memory.bandwidth", 1, operation="copy", loop="ldm")) == 10.0
    assert measured(metrics, figure("memory.bandwidth", 1, operation="copy", size="1 KiB")) == 90.0
    assert measured(metrics, figure("memory.bandwidth", 1, operation="write")) is None


def test_a_read_at_random_counts_beyond_what_the_smallest_takes() -> None:
    metrics = [
        metric("memory.random", 11e-9, size="4096"),
        metric("memory.random", 17.5e-9, size="65536"),
    ]
    asked = figure("memory.random.beyond_l1", 6.5e-9, size="64 KiB")
    assert measured(metrics, asked) == pytest.approx(6.5e-9)
    assert measured(metrics, figure("memory.random.beyond_l1", 1e-9, size="1 MiB")) is None
    assert probes_for([asked]) == ["memory.random"]


def test_a_saving_is_a_difference_for_a_kernel_of_the_real_size() -> None:
    copied = [metric("boot.kernel.load", 1.4), metric("image.kernel.size", 2e6)]
    in_flash = [metric("boot.kernel.load", 1.2), metric("image.kernel.size", 2e6)]
    asked = figure("boot.kernel.load", 0.1).model_copy(
        update={
            "less": {"kernel": "flash"},
            "scale": Scale(metric="image.kernel.size", value=1e6),
        }
    )
    assert measured(copied, asked, in_flash) == pytest.approx(0.1)
    assert measured(copied, asked) is None
    assert measured(copied[:1], asked, in_flash) is None


def test_phases_that_follow_each_other_are_added_up() -> None:
    slow = [metric("boot.root.mount", 0.1), metric("boot.userspace", 1.1)]
    fast = [metric("boot.root.mount", 0.05), metric("boot.userspace", 0.7)]
    asked = figure("boot.root.mount+userspace", 0.5)
    asked = asked.model_copy(update={"less": {"kernel": "copied"}})
    assert measured(slow, asked, fast) == pytest.approx(0.45)
    assert measured(slow, asked, fast[1:]) is None
    assert checked_ranges([asked]) == {"boot.root.mount": None, "boot.userspace": None}


def test_a_metric_is_measured_by_the_probe_that_has_it() -> None:
    copies = [figure("memory.copy.bandwidth", 1.0), figure("system.ram.available", 1.0)]
    assert probes_for(copies) == ["memory.copy", "system.memory"]


def test_only_held_out_rows_tell_the_accuracy() -> None:
    metrics = [metric("a", 1.2), metric("b", 3.0), metric("c", 0.7)]
    figures = [
        figure("a", 1.0),
        figure("b", 1.0, "calibration"),
        figure("c", 1.0),
        figure("d", 1.0),
    ]
    rows = [row_of(figure, measured(metrics, figure), 0.25) for figure in figures]
    assert [row.within for row in rows] == [True, None, False, None]
    assert [row.ratio for row in rows] == [1.2, 3.0, 0.7, None]
    found = accuracy(rows)
    assert found is not None
    assert (found.rows, found.mean, found.worst) == pytest.approx((2, 0.25, 0.3))
    assert accuracy(rows[1:2]) is None


def read(size: int) -> Metric:
    return metric("memory.bandwidth", 1.0, "higher", operation="read", size=str(size))


def test_probes_and_ranges() -> None:
    figures = [
        figure("memory.bandwidth", 1.0, size="64 KiB"),
        figure("memory.bandwidth", 1.0, size="1 MiB"),
        figure("cpu.clock", 1.0),
    ]
    assert probes_for(figures) == ["cpu.clock", "memory.bandwidth"]
    checked = checked_ranges(figures)
    assert checked == {"memory.bandwidth": (65536, 1048576), "cpu.clock": None}
    metrics = [read(65536), metric("cpu.clock", 1.0)]
    assert extrapolated(metrics, checked) == []
    metrics += [read(2 << 20), metric("ipc.pipe.latency", 1.0)]
    assert extrapolated(metrics, checked) == ["memory.bandwidth", "ipc.pipe.latency"]


def test_a_figure_of_one_operation_says_nothing_of_another() -> None:
    copies = figure("memory.bandwidth", 1.0, operation="copy", size="1 MiB")
    checked = checked_ranges([copies])
    assert checked == {"memory.bandwidth copy": (1 << 20, 1 << 20)}
    copied = metric("memory.bandwidth", 1.0, "higher", operation="copy", size=str(1 << 20))
    assert extrapolated([copied, read(1 << 20)], checked) == ["memory.bandwidth read"]
    # Where another figure names none, it is of the best of them.
    free = figure("memory.bandwidth", 1.0, size="1 MiB")
    assert extrapolated([copied, read(1 << 20)], checked_ranges([copies, free])) == []


@pytest.mark.parametrize(
    ("name", "labels", "said"),
    [
        ("memory.bandwidth", {"size": "64 KB2"}, '"64 KB2" is not a size'),
        ("memory.random.beyond_l1", {}, "labels lacks size"),
    ],
)
def test_a_figure_at_no_size_is_refused(name: str, labels: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        figure(name, 1.0, **labels)


def test_a_trial_is_extrapolated_where_no_program_was_checked() -> None:
    trial = [metric("try.time.real", 1.0)]
    assert extrapolated(trial, checked_ranges([figure("cpu.clock", 1.0)])) == ["try.time.real"]
    program = Program(packages=("bc",), command=("bc",))
    tried = figure("cpu.clock", 1.0).model_copy(update={"metric": "program.bc", "program": program})
    assert extrapolated(trial, checked_ranges([tried])) == []


REQUEST = Request(target="", factors={}, command=("perfboard",))


def test_a_board_is_measured_once_for_each_set_of_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, dict[str, str], list[str]]] = []

    def measure(study: str, request: Request, probes: list[str], progress: Any) -> Any:
        asked.append((request.target, dict(request.factors), probes))
        return make_run(metrics=(metric("cpu.clock", 1e9, "higher"),))

    def measure_programs(board: str, figures: Any, margin: float, *_: object) -> Any:
        rows = {n: row_of(f, None, margin) for n, f in enumerate(figures) if f.program}
        return rows, ("run-9",)

    monkeypatch.setattr(verifying, "measure_target", measure)
    monkeypatch.setattr(verifying, "measure_programs", measure_programs)
    found = verify_board("rpi2", REQUEST, SilentProgress())
    names = ["cpu.clock", "memory.bandwidth", "memory.copy", "memory.latency", "memory.random"]
    assert asked == [("virtual:rpi2", {"detail": "timed"}, names)]
    assert found.rows[0].ratio == pytest.approx(1e9 / 9e8)
    assert (found.parameters[0].name, found.parameters[0].within) == ("clock", False)
    assert found.accuracy is None and found.rows[-1].virtual is None
    assert found.runs[1:] == ("run-9",)
    text = verification_text(found)
    assert "No held-out figure was measured" in text and " were not measured, marked absent" in text


def test_flash_is_measured_by_itself_and_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, float, list[str]]] = []

    def measure(study: str, request: Request, probes: list[str], progress: Any) -> Any:
        asked.append((request.factors["flash"], request.budget_s, probes))
        return make_run()

    monkeypatch.setattr(verifying, "measure_target", measure)
    monkeypatch.setattr(verifying, "get_study", lambda _: Mock(run=lambda *_: make_run()))
    verify_board("verdex", REQUEST, SilentProgress())
    parameters, *of_flash = asked
    assert parameters[:2] == ("tuned", 60) and "flash.read" not in parameters[2]
    assert of_flash == [(level, 240, ["flash.read"]) for level in ("tuned", "delivered", "cached")]


def test_boots_are_measured_by_the_boot_study(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, str]] = []

    class Boots:
        def run(self, request: Request, progress: Any) -> Any:
            asked.append(dict(request.factors))
            kernel = metric("image.kernel.size", 1e6)
            printed = metric("boot.kernel.console", 7404.0)
            return make_run(
                metrics=(
                    *(metric("boot.kernel.load", 0.8), metric("boot.kernel.init", 0.3)),
                    *(kernel, printed, metric("boot.total", 5.0)),
                    *(metric("boot.root.mount", 0.1), metric("boot.userspace", 1.0)),
                )
            )

    monkeypatch.setattr(verifying, "get_study", lambda name: {"boot": Boots()}[name])
    monkeypatch.setattr(verifying, "measure_target", lambda *_: make_run())
    found = verify_board("verdex", REQUEST, SilentProgress())
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
    assert asked == [{**tuned, **level} for level in levels]
    load = next(row for row in found.rows if row.published.metric == "boot.kernel.load")
    assert load.ratio == pytest.approx(0.8 * 0.88576 / 0.73)
    assert load.scaled_by == pytest.approx(0.88576)
    text = " ".join(verification_text(found).split())
    assert "image.kernel.size, which is 1000000, of 800.0 ms" in text
    assert "dcache=off, less kernel=flash bootloader=none dcache=off, times" in text
    savings = [row for row in found.rows if row.published.less]
    assert {(row.virtual, row.within) for row in savings} == {(0, False)}
    assert "Of 6 held-out differences 0 are within 25%" in verification_text(found)


def test_a_run_that_ended_early_verifies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(status=Status.FAILED, errors=(RunError(kind="hang", message="still"),))
    monkeypatch.setattr(verifying, "measure_target", lambda *_: run)
    with pytest.raises(TargetError, match="ended early: still"):
        verify_board("rpi2", REQUEST, SilentProgress())


def test_a_board_without_published_figures_has_parameters_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = make_run(metrics=(metric("cpu.clock", 192e6, "higher"),))
    monkeypatch.setattr(verifying, "measure_target", lambda *_: run)
    found = verify_board("omap1710", REQUEST, SilentProgress())
    assert (found.rows, found.accuracy) == ((), None)
    assert [row.within for row in found.parameters] == [True, None]
    text = verification_text(found)
    assert "No parameter is off by more than 3%." in text


def test_a_board_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text((BOARDS / "verdex.toml").read_text().split("[timing]")[0])
    (tmp_path / "verdex.config").write_text("")
    with pytest.raises(UsageError, match="no timing model to be verified"):
        verify_board(str(tmp_path / "own.toml"), REQUEST, SilentProgress())


@pytest.mark.parametrize(("seen", "code"), [(1.02, 0), (0.96, 1), (None, 5)])
def test_the_command_fails_where_a_probe_sees_another_part(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    seen: float | None,
    code: int,
) -> None:
    of_part = (Parameter("clock", "1/s", 1.0, seen),)
    found = Verification("b", "P", 0.25, "stated", (), None, ("run-1",), of_part)
    monkeypatch.setattr(verifying, "verify_board", lambda *_: found)
    assert main(["boards", "verify", "b", "--json"]) == code
    (row,) = json.loads(capsys.readouterr().out)["parameters"]
    assert row == {
        **{"name": "clock", "unit": "1/s", "said": 1.0, "seen": seen},
        "within": None if seen is None else not code,
    }
    assert main(["boards", "verify", "b"]) == code
    assert ("marked with !" in capsys.readouterr().out) == (code == 1)


@pytest.mark.parametrize(("virtual", "code"), [(1.1, 0), (1.5, 1), (None, 5)])
def test_the_command_fails_beyond_the_margin(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    virtual: float | None,
    code: int,
) -> None:
    rows = (row_of(figure("a", 1.0), virtual, 0.25),)
    found = Verification("b", "P", 0.25, "stated", rows, accuracy(rows), ("run-1",))
    monkeypatch.setattr(verifying, "verify_board", lambda *_: found)
    assert main(["boards", "verify", "b", "--json"]) == code
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["virtual"], row["within"]) == (virtual, None if virtual is None else code == 0)
    assert main(["boards", "verify", "b"]) == code
    assert ("marked with !" in capsys.readouterr().out) == (code == 1)


def test_a_level_that_there_is_not_is_found_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "measure_target", Mock(side_effect=AssertionError))
    text = (BOARDS / "rpi2.toml").read_text()
    first, _, rest = text.rpartition('metric = "program.')
    (tmp_path / "own.toml").write_text(
        f'{first}factors = {{ root = "warp" }}\nmetric = "program.{rest}'
    )
    with pytest.raises(UsageError, match="warp"):
        verify_board(str(tmp_path / "own.toml"), REQUEST, SilentProgress())
