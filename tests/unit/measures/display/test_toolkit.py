# SPDX-License-Identifier: Apache-2.0
"""One window in many toolkits: the plan, and how its programs' lines are read."""

import os
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.bench.job import NotMeasurable
from perfboard.images.program.toolkits import PROGRAM, TOOLKITS
from perfboard.measures.base import EXACT
from perfboard.measures.catalogue import get_measure
from perfboard.measures.display.session import EXIT
from perfboard.measures.display.toolkit_rounds import STEPS, read_rounds
from perfboard.model.profile import Value
from perfboard.model.rows import RefusedRow
from perfboard.profiles.loader import load_profile, profile_path
from tests.support.measures import LIVE, job_of, metrics_of
from tests.support.saying import saying_probe

from .test_applications import sizes, task

XAW: dict[str, Value] = {"toolkit": "xaw", "quiet_ms": 700}
HELLO = task("hello", stable_ms=6) + sizes("hello", "program") + EXIT


def begun(rounds: int) -> str:
    return f'{{"row":"rounds","count":{rounds}}}\n'


def ended(number: int, step: str, ns: int) -> str:
    return f'{{"row":"step","round":{number},"step":"{step}","took_ns":{ns}}}\n'


def program(rounds: int, ns: int = 2000) -> str:
    steps = (ended(number, step, ns) for number, step in product(range(rounds), STEPS))
    return "".join([begun(rounds), *steps])


def test_a_live_target_has_ten_programs_and_a_board_that_repeats_one() -> None:
    for facts, count in ((LIVE, 10), (EXACT, 1)):
        work = job_of("toolkit", XAW, facts)
        plan = work.files["plan"].decode().splitlines()
        assert plan.count(f"start hello ./{PROGRAM} hello") == count
        assert plan.count(f"run rounds ./{PROGRAM} rounds 4 toolkit.lines") == count
        assert work.toolkit == "xaw" and {"libxaw7", "xvfb"} <= set(work.packages)


def test_the_first_round_of_each_program_is_told_from_the_rest() -> None:
    metrics = metrics_of("toolkit", HELLO * 10 + program(4) * 10, XAW)
    told = {metric.name for metric in metrics}
    assert told == {each.name for each in get_measure("toolkit").metrics} - {"toolkit.memory.free"}
    by_name = {(m.name, m.labels.get("run")): m for m in metrics}
    assert by_name["toolkit.draw.time", "first"].samples == (2e-6,) * 10
    assert by_name["toolkit.draw.time", "rest"].samples == (2e-6,) * 30
    assert by_name["toolkit.hello.time", None].samples == (0.006,) * 10
    assert by_name["toolkit.refused", None].samples == (0.0,)


def test_a_step_that_hangs_is_refused_with_its_reason() -> None:
    why = "it has not ended in time"
    hung = begun(4) + RefusedRow(row="refused", what="draw", why=why).line()
    metrics = metrics_of("toolkit", HELLO * 10 + program(4) * 9 + hung, XAW)
    (refused,) = (m.samples[0] for m in metrics if m.name == "toolkit.refused")
    assert refused == pytest.approx(28 / 290)
    with pytest.raises(NotMeasurable, match=r"8 of 10 samples of window .*: draw: it has"):
        metrics_of("toolkit", HELLO * 10 + program(4) * 8 + hung * 2, XAW)
    # A program that prints more than it was asked for is no better.
    with pytest.raises(NotMeasurable, match="11 of 10"):
        metrics_of("toolkit", HELLO * 10 + program(4) * 11, XAW)


@pytest.mark.parametrize(
    ("there", "words"),
    [(True, "no libq.so.6; on Debian"), (False, "no loader for Debian's programs; on Debian")],
)
def test_a_target_without_the_toolkit_is_told_what_to_install(
    there: bool, words: str, tmp_path: Path
) -> None:
    if there:
        # A program of this machine's, whose library nobody has.
        program = Path(shutil.which("env") or "").read_bytes()
        (tmp_path / PROGRAM).write_bytes(program.replace(b"libc.so.6\0", b"libq.so.6\0"))
        (tmp_path / PROGRAM).chmod(0o700)
    probe = saying_probe(tmp_path / "probe")
    said = subprocess.run(
        ["sh", "-c", job_of("toolkit", XAW).script],
        cwd=tmp_path,
        env={**os.environ, "PROBE": probe},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    with pytest.raises(NotMeasurable, match=words) as caught:
        metrics_of("toolkit", said, XAW)
    assert "install libxaw7 libxt6 libx11-6 libxcb1 there" in str(caught.value)


def test_all_libraries_that_a_target_has_not_are_told() -> None:
    said = '{"row":"said","name":"lacks","text":"libXaw.so.7\\nlibXt.so.6"}\n'
    with pytest.raises(NotMeasurable, match=r"no libXaw\.so\.7, libXt\.so\.6; on Debian"):
        metrics_of("toolkit", said, XAW)


def test_a_toolkit_that_there_is_not_is_answered_with_the_nearest() -> None:
    with pytest.raises(NotMeasurable, match='did you mean "fltk"'):
        job_of("toolkit", XAW | {"toolkit": "flkt"})
    with pytest.raises(NotMeasurable, match="Debian has no package of LVGL"):
        job_of("toolkit", XAW | {"toolkit": "lvgl"})


def test_the_profile_has_each_toolkit() -> None:
    profile = load_profile(profile_path("toolkits"))
    assert {issue.parameters["toolkit"] for issue in profile.key_issue} == set(TOOLKITS)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 10**15)), max_size=5))
def test_what_the_programs_print_is_read_whole(programs: list[tuple[int, int]]) -> None:
    found = read_rounds("".join(program(rounds, ns) for rounds, ns in programs))
    assert found.refused == []
    for step in STEPS:
        assert found.first[step] == [ns / 1e9 for _, ns in programs]
        assert found.rest[step] == [ns / 1e9 for rounds, ns in programs for _ in range(rounds - 1)]


LINES = st.one_of(
    st.text(max_size=40),
    st.sampled_from([begun(2), begun(0), '{"row":"refused","what":"draw","why":"x"}']),
    st.builds(
        ended,
        st.integers(-1, 3),
        st.sampled_from([*STEPS, "else"]),
        st.integers(-1, 10**20),
    ),
)


@given(st.lists(LINES, max_size=40), st.integers(0, 30))
def test_no_line_breaks_the_reader_and_none_counts_twice(lines: list[str], at: int) -> None:
    found = read_rounds("\n".join([*lines[:at], program(2), *lines[at:]]))
    times = [time for each in (found.first, found.rest) for step in STEPS for time in each[step]]
    assert all(0 <= time <= 1e10 for time in times)
    # The program's own 14 are among them, as nothing comes between.
    assert 14 <= len(times) <= 14 + len(lines)


@given(st.integers(0, 14))
def test_a_program_that_ends_early_is_refused(kept: int) -> None:
    lines = program(2).splitlines()[: kept + 1]
    found = read_rounds("\n".join(lines))
    assert found.refused == ([] if kept == 14 else ["its program ended early"])
    assert sum(len(found.first[step]) + len(found.rest[step]) for step in STEPS) == kept
