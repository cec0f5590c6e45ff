# SPDX-License-Identifier: Apache-2.0
"""The probes of the processor, compiled with sanitizers and run briefly.

How fast it is depends on the machine; what is checked is what holds on every machine.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .compiler import HERE, compile_probes

_PROBES = ("probes/cpu/*.c", "loops/operations_*.c", "measure/budget.c")


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("native") / "probe"
    compile_probes(program, *_PROBES)
    return program


@pytest.fixture(scope="session")
def unsteady(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with samples of ours; see cpu_harness.c."""
    program = tmp_path_factory.mktemp("native") / "unsteady"
    wrapped = (f"-Wl,--wrap={name}" for name in ("time_slopes", "processor_frequency"))
    harness = HERE / "cpu_harness.c"
    compile_probes(program, *_PROBES, words=(*wrapped, harness))
    return program


def run(program: Path, probe: str, seconds: float, *words: str) -> list[dict[str, Any]]:
    """What the probe says between its first and its last line."""
    return run_whole(program, probe, seconds, *words)[1:-1]


def run_whole(program: Path, probe: str, seconds: float, *words: str) -> list[dict[str, Any]]:
    command = [str(program), probe, "--seconds", str(seconds), *words]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    lines = [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]
    assert "process" in lines[0]
    assert "end" in lines[-1]
    return lines


def test_every_operation_is_measured_or_refused_in_words(program: Path) -> None:
    given: dict[str, set[tuple[str, str]]] = {"cpu.operation.latency": set()}
    given["cpu.operation.throughput"] = set()
    refused: list[str] = []
    for line in run(program, "cpu.operation", 0.5):
        if "refused" in line:
            refused.append(line["refused"])
            continue
        labels = line["labels"]
        assert set(labels) == {"operation", "type", "form"}
        assert labels["form"] in ("hardware", "software")
        assert (line["unit"], line["better"]) in (("s", "lower"), ("1/s", "higher"))
        aliases = {"cpu.operation.latency": "lat_ops", "cpu.operation.throughput": "par_ops"}
        assert line["alias"] == aliases[line["metric"]]
        assert all(sample > 0 for sample in line["samples"])
        given[line["metric"]].add((labels["type"], labels["operation"]))
    assert not any("self-check" in reason for reason in refused)
    for metric, found in given.items():
        for type_ in ("int32", "int64", "float", "double"):
            for operation in ("add", "multiply", "divide"):
                # A machine that others disturb may refuse one, by name.
                words = f"{metric} of {type_} {operation} in "
                assert (type_, operation) in found or any(r.startswith(words) for r in refused)
    assert len(given["cpu.operation.latency"]) > len(refused)


def test_what_else_lmbench_does_with_integers_is_measured_or_refused(program: Path) -> None:
    found = set()
    for line in run(program, "cpu.operation", 0.5):
        if "refused" in line:
            found.update(
                re.findall(r"^cpu.operation.latency of (int\d+) (\S+) in", line["refused"])
            )
        elif line["metric"] == "cpu.operation.latency":
            found.add((line["labels"]["type"], line["labels"]["operation"]))
    for operation in ("bit", "remainder", "divide-uneven"):
        assert {("int32", operation), ("int64", operation)} <= found


def test_a_call_takes_some_time(program: Path) -> None:
    (line,) = run(program, "cpu.call", 0.1)
    assert (line["metric"], line["unit"], line["better"]) == ("cpu.call", "s", "lower")
    assert line["alias"] == "lat_proc procedure"
    assert all(0 < sample < 1e-3 for sample in line["samples"])


def test_a_mispredicted_branch_costs_something_or_is_refused_in_words(program: Path) -> None:
    (line,) = run(program, "cpu.branch", 0.3)
    if "refused" in line:
        assert line["refused"].startswith("cpu.branch.miss: ")
        assert "self-check" not in line["refused"]
    else:
        assert (line["metric"], line["unit"], line["better"]) == ("cpu.branch.miss", "s", "lower")
        assert line["samples"] and all(0 < sample < 1e-3 for sample in line["samples"])


def test_the_clock_is_that_of_a_processor(program: Path) -> None:
    (line,) = run(program, "cpu.clock", 0.3)
    if "refused" not in line:
        assert (line["metric"], line["unit"], line["better"]) == ("cpu.clock", "1/s", "higher")
        assert line["alias"] == "mhz"
        assert all(1e6 < sample < 1e11 for sample in line["samples"])


def test_bogomips_are_the_kernels_own(program: Path) -> None:
    (line,) = run(program, "cpu.bogomips", 0.1, "--cpu", "0")
    said = [
        float(row.split(":")[1])
        for row in Path("/proc/cpuinfo").read_text().splitlines()
        if row.lower().startswith("bogomips")
    ]
    if said:
        assert (line["metric"], line["unit"]) == ("cpu.bogomips", "1")
        assert line["samples"] == [said[0]]
    else:
        assert "gives none" in line["refused"]


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "", ".5", "1.5x", "1e3", "3600.5", "nan"])
def test_what_is_no_time_is_a_wrong_argument(program: Path, seconds: str) -> None:
    command = [str(program), "cpu.bogomips", "--seconds", seconds]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 2


@pytest.mark.parametrize("seconds", ["0.05", "1", "3600", "12.", "0.000001"])
def test_a_decimal_number_is_a_time(program: Path, seconds: str) -> None:
    run(program, "cpu.bogomips", 1, "--seconds", seconds)


def has_narrow(line: dict[str, Any]) -> bool:
    """Whether what it is of is done by fewer chains as well."""
    if line.get("metric") != "cpu.operation.throughput":
        return False
    labels = line["labels"]
    return labels["operation"] == "divide" and labels["type"] in ("float", "double")


@pytest.mark.parametrize(("faster", "of_fewer"), [(0.4, True), (0.6, False)])
def test_of_divisions_the_faster_number_of_chains_is_given(
    unsteady: Path, monkeypatch: pytest.MonkeyPatch, faster: float, of_fewer: bool
) -> None:
    monkeypatch.setenv("FASTER", str(faster))
    chains, found = 0, 0
    for line in run(unsteady, "cpu.operation", 0.1):
        chains += 1
        if not has_narrow(line):
            continue
        # Eight chains do 48 operations more, and four chains 24.
        more, scale = (24, faster ** (chains + 1)) if of_fewer else (48, faster**chains)
        rates = [more / (less * scale * 1e-9) for less in (0.5, 1.5)]
        assert line["samples"] == pytest.approx(rates, rel=1e-5)
        chains += 1
        found += 1
    assert found == 2


@pytest.mark.parametrize(
    ("probe", "samples"), [("cpu.operation", 4), ("cpu.branch", 4), ("cpu.clock", 7)]
)
def test_a_difference_that_is_none_is_counted(unsteady: Path, probe: str, samples: int) -> None:
    *lines, end = run_whole(unsteady, probe, 0.1)
    kept = [len(line["samples"]) for line in lines if "metric" in line]
    assert kept
    # Those of fewer chains, which are not the faster here, are not given.
    kept += [len(line["samples"]) for line in lines if has_narrow(line)]
    refused = sum(line.get("refused", "").endswith("too unsteady") for line in lines)
    unusable = end["end"]["disturbances"]["unusable_pairs"]
    assert unusable == samples * (len(kept) + refused) - sum(kept) > 0


def test_a_metric_says_that_it_did_not_settle(unsteady: Path, program: Path) -> None:
    found = [line for line in run(unsteady, "cpu.operation", 0.1) if "metric" in line]
    assert found and all(line["settled"] is False for line in found)
    # Else nothing is said of it.
    said = [line.get("settled") for line in run(program, "cpu.bogomips", 0.1) if "metric" in line]
    assert set(said) <= {None}
