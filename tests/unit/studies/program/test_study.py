# SPDX-License-Identifier: Apache-2.0
"""Trying a command: the command line, the metrics, and what is said of how it ended."""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from signal import SIGINT, pthread_kill
from threading import Event, main_thread
from typing import Any, TextIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.program.metrics import Instant, instants, ran, trial_metrics
from perfboard.bench.lab import Lab
from perfboard.bench.program.outcome import library_remark
from perfboard.bench.program.ready import copy_job
from perfboard.boards.loader import load_board
from perfboard.cli.arguments import make_parser
from perfboard.cli.commands.program import trying
from perfboard.images.program.base import ProgramJob, check_job
from perfboard.model.errors import Cancelled, UsageError
from perfboard.model.results.program import FunctionTime, ProgramResult
from perfboard.model.run import Evidence, Run, RunError, Status
from perfboard.report.html import render
from perfboard.report.sections.program.section import program_text
from perfboard.report.text import run_text
from perfboard.store.folder import finished_folders
from perfboard.store.reading import load_run
from perfboard.studies.program.study import try_boards
from perfboard.targets.virtual.program import ProgramResults, read_results
from tests.support.command import call
from tests.support.lab import RESULTS, TRIED, FakeLab
from tests.support.runs import make_run, only


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rpi2"], "no command to try"),
        (["rpi2", "--"], "no command to try"),
        (["rpi6", "--", "true"], 'there is no board "rpi6"'),
        (["--", "true"], "required: BOARD"),
        (["rpi2", "true", "--", "true"], "try takes no true"),
        (["rpi2", "--compare", "rpi2", "--", "true"], "a board is named twice"),
        (["rpi2", "--compare", "rpi9", "--", "true"], 'there is no board "rpi9"'),
        (["rpi2", "--architecture", "i386", "--", "true"], "has armel besides its own, armhf"),
        (["settop-web", "--port", "armel", "--", "true"], "has none besides its own, i386"),
        (["rpi2", "--push", "absent", "--", "true"], "absent: there is no such file"),
        (["rpi2", "--stdin", "absent", "--", "true"], "--stdin absent: No such file"),
        (["rpi2", "--stdin", "folder", "--", "true"], "--stdin folder: Is a directory"),
        (["rpi2", "--set", "console=quiet", "--", "true"], 'no factor "console"'),
        (["rpi2", "--set", "detail=vague", "--", "true"], 'no level "vague"'),
        (["rpi2", "--time-limit", "0", "--", "true"], "is not a number of seconds"),
        (["rpi2", "--time-limit", "1e9", "--", "true"], "is not a number of seconds"),
    ],
)
def test_a_wrong_command_line_is_told(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("try", *words) == 2
    assert said in capsys.readouterr().err


def test_a_word_of_the_command_need_not_be_text() -> None:
    word = os.fsdecode(b"caf\xe9")
    check_job(ProgramJob(("echo", word)), load_board("verdex").board)


def test_a_trial_has_the_timing_models_factors_and_the_kernels_configuration() -> None:
    has = "clock, config, features, latency, loss, network, ram, wire, detail, flash, dcache"
    with pytest.raises(UsageError, match=rf'a trial .* no factor "console"\. It has: {has}'):
        try_boards(["verdex"], ProgramJob(("true",)), {"console": "quiet"}, (), Lab())


counts = st.integers(0, 10**15)


@given(counts, counts, counts, counts)
def test_metrics_are_what_came_between_the_marks(a: int, b: int, c: int, d: int) -> None:
    begin = Instant(a, b, {"l1d_misses": c, "cycles_fs": 7, "core_fs": 1, "uart_fs": 0})
    end = Instant(a + b, b + c, {"l1d_misses": c + d, "cycles_fs": 9, "core_fs": 2, "uart_fs": d})
    found = {m.name: m.samples[0] for m in trial_metrics(begin, end, 0.25, 0.5, 4096)}
    assert found["try.time.real"] == b / 1e9
    assert found["try.time.idle"] == (b / 1e9 - 0.75 if b > 750_000_010 else 0)
    assert found["try.instructions"] == c
    assert found["try.misses.l1d"] == d
    assert found["try.waits.console"] == d / 1e15
    assert not any("cycles" in name or "core" in name for name in found)


def test_memory_is_that_of_all_processes_together() -> None:
    def found(most: int, of_one: int) -> float:
        begin, end = Instant(0, 0, {}, 1 << 20, 9 << 20), Instant(9, 9, {}, 0, most)
        metrics = {m.name: m for m in trial_metrics(begin, end, 0, 0, of_one)}
        return metrics["try.memory.resident"].samples[0]

    assert found(most=55 << 20, of_one=4 << 20) == 54 << 20
    # One that grew and ended between two looks; a kernel whose counts are not known.
    assert found(most=3 << 20, of_one=4 << 20) == 4 << 20
    assert found(most=0, of_one=4 << 20) == 4 << 20


@given(counts, counts)
def test_what_ran_of_instructions_that_a_part_lacks_is_counted_by_kind(a: int, b: int) -> None:
    begin, end = Instant(0, 0, {"cmov_ran": a}), Instant(9, 9, {"cmov_ran": a + b, "nop_ran": b})
    expected = {"cmov": b, "nop": b} if b else {}
    assert ran(begin, end, ("cmov", "nop", "simd")) == expected
    assert ran(begin, end, ("simd",)) == {}


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ("bifferboard", "ran 1,234 times: 1,200 of CMOV, FCMOV and FCOMI, 34 of NOP"),
        ("rpi2", ""),
    ],
)
def test_a_run_says_what_its_part_lacks_and_how_often_it_ran(
    tmp_path: Path, board: str, said: str
) -> None:
    fake = FakeLab(tmp_path)
    fake.tried = TRIED.replace('"ns":9', '"counters":{"cmov_ran":1200,"nop_ran":34},"ns":9')
    (run,) = try_boards([board], ProgramJob(("true",)), {}, (), fake.lab())
    assert any(said in note for note in run.provenance.notes if said) == bool(said)
    assert only(run, ProgramResult).lacked == ({"cmov": 1200, "nop": 34} if said else {})


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"exit_code": None, "signal": 4}, True),
        ({"exit_code": 132}, True),
        ({"exit_code": None, "signal": 11}, False),
        ({"exit_code": 4}, False),
    ],
)
def test_a_run_says_that_the_emulated_processor_does_not_know_an_instruction(
    tmp_path: Path, how: dict[str, Any], said: bool
) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = lambda job, cancelled: replace(RESULTS, **how)
    (run,) = try_boards(["rpi2"], ProgramJob(("true",)), {}, (), fake.lab())
    words = "the emulated processor (cortex-a7) does not know: compile it for the part, Cortex-A7."
    assert any(words in note for note in run.provenance.notes) == said


def test_cores_whose_instructions_alone_are_counted_have_no_time(tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    counters = '"counters":{"core0_instructions":5,"core1_instructions":4}'
    fake.tried = TRIED.replace('"ns":', f'{counters},"ns":')
    (run,) = try_boards(["rpi2"], ProgramJob(("true",)), {"detail": "counted"}, (), fake.lab())
    assert not run.errors
    assert not any("time" in metric.name for metric in run.metrics)
    assert any("has the configuration board" in note for note in run.provenance.notes)


@pytest.mark.parametrize(
    ("board", "shares", "said"),
    [
        ("rpi-zero", {"/lib/arm-linux-gnueabihf/libc.so.6": 0.2, "/usr/bin/sort": 0.8}, "20%"),
        ("rpi-zero", {"/lib/arm-linux-gnueabihf/libc.so.6": 0.04, "/usr/bin/sort": 0.9}, None),
        ("rpi-zero", {"/usr/lib/libcrypto.so.3": 0.9}, None),
        ("rpi-zero", {}, None),
        ("rpi2", {"/lib/arm-linux-gnueabihf/libc.so.6": 0.5}, None),
    ],
)
def test_a_library_that_the_real_board_cannot_run_is_told_where_it_takes_much(
    board: str, shares: dict[str, float], said: str | None
) -> None:
    functions = tuple(
        FunctionTime(name="f", file=file, time_s=time, instructions=1)
        for file, time in shares.items()
    )
    total = 1.0 if shares else 0.0
    trial = only(trial_run(profile=functions, profiled_s=total), ProgramResult)
    timing = load_board(board).board.timing
    assert timing is not None
    remark = " ".join(library_remark(trial, timing.lacks))
    assert (said in remark and "ARMv7" in remark) if said else not remark


def test_marks_are_found_among_what_else_the_scope_says() -> None:
    log = [
        {"beat": 5},
        {"mark": "try", "ns": 7, "instructions": 3, "counters": {"x": 1}, "memory": [5, 6]},
        {"mark": "other", "ns": 8, "instructions": 4},
        {"console": [1, 2]},
        {"mark": "try", "ns": 9, "instructions": 5},
    ]
    text = "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in log)
    assert instants(f'{text}{{"mark":"try","ns":1', "try") == [
        Instant(7, 3, {"x": 1}, 5, 6),
        Instant(9, 5, {}),
    ]


HEAD = {
    **{
        "exit": 3,
        "signal": 0,
        "late": 0,
        "interrupted": 0,
        "full": 0,
        "oom_kills": 0,
        "user_us": 1_500_000,
    },
    **{"system_us": 20, "resident_kb": 64, "faults": 5, "major_faults": 1, "switches": 2},
    **{"stdout": 4, "stderr": 3},
}


def results(**changes: int | None) -> bytes:
    lines = {k: v for k, v in (HEAD | changes).items() if v is not None}
    head = "perfboard-run 1\n" + "".join(f"{k} {v}\n" for k, v in lines.items())
    return head.encode().ljust(4096, b"\0") + b"o\0\xff\ne\n\n" + bytes(100)


def test_results_are_read_whatever_the_command_wrote() -> None:
    found = read_results(results())
    assert (found.exit_code, found.signal, found.user_s) == (3, None, 1.5)
    assert (found.stdout, found.stderr) == (b"o\0\xff\n", b"e\n\n")
    killed = read_results(results(signal=9, exit=0, late=1))
    assert (killed.exit_code, killed.signal, killed.late) == (None, 9, True)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", bytes(8192), results()[:50], b"perfboard-run 2\n".ljust(8192, b"\0")),
        *(results(stdout=10**9), results(stderr=10**9), results(stdout=None)),
    ],
)
def test_results_that_are_not_whole_are_refused(data: bytes) -> None:
    with pytest.raises(Exception, match="board's results"):
        read_results(data)


def trial_run(board: str = "rpi2", **changes: object) -> Run:
    trial = ProgramResult(
        command=("./prog", "two words"),
        limit_s=600,
        exit_code=3,
        profile=(
            FunctionTime(name="<spin>", file="/work/prog", time_s=0.3, instructions=600),
            FunctionTime(name="memcpy", file="kernel", time_s=0.1, instructions=50),
        ),
        profiled_s=0.5,
    )
    begin, end = Instant(0, 0, {"l1d_misses": 0}), Instant(10**9, 700, {"l1d_misses": 12345})
    run = make_run(
        study="try",
        boots=(),
        evidence=Evidence.TIMED,
        metrics=trial_metrics(begin, end, 0.4, 0.1, 1 << 20),
        results=(trial.model_copy(update=changes),),
    )
    summary = run.board.model_copy(update={"name": board})
    return run.model_copy(update={"board": summary})


def test_boards_stand_side_by_side() -> None:
    text = program_text([trial_run(), trial_run("teres")])
    assert "times as fast" not in text
    slow = trial_run("teres")
    metrics = tuple(
        each.model_copy(update={"samples": (1.33,)}) if each.name == "try.time.real" else each
        for each in slow.metrics
    )
    slower = program_text([trial_run(), slow.model_copy(update={"metrics": metrics})])
    assert slower.endswith("teres takes 1.33 times as long as rpi2.\n")
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "$ ./prog 'two words'" in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "ended exit code 3 exit code 3" in lines
    assert "real 1.000 s 1.000 s" in lines
    assert "L1 data misses 12,345 12,345" in lines
    assert any("<spin> prog 300.0 ms 60.0% 600" in line for line in lines)


def test_a_run_shows_and_reports_its_trial() -> None:
    run = trial_run()
    text = run_text(run)
    assert "exit code 3" in text and "<spin>" in text
    html = render(run)
    assert "Where the time went" in html and "&lt;spin&gt;" in html and "<spin>" not in html
    assert "400.0 ms of 500.0 ms" in html


def test_a_failed_trial_says_why() -> None:
    failed = trial_run(exit_code=None, profile=(), profiled_s=0).model_copy(
        update={
            "status": Status.FAILED,
            "errors": (RunError(kind="hang", message="It hangs."),),
            "metrics": (),
        }
    )
    assert "hang: It hangs." in program_text([failed])
    assert "did not end" in render(failed)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "exit code 3"),
        ({"exit_code": None, "signal": 11}, "killed by SIGSEGV"),
        ({"exit_code": None, "signal": 64}, "killed by SIGRTMAX"),
        ({"exit_code": None, "signal": 99}, "killed by signal 99"),
        ({"exit_code": None, "signal": 9, "oom_kills": 1}, "when memory ran out"),
        ({"exit_code": None, "signal": 9, "late": True}, "killed at the time limit of 600 s"),
    ],
)
def test_how_it_ended_is_said_in_words(changes: dict[str, Any], said: str) -> None:
    assert said in only(trial_run(**changes), ProgramResult).summary


def test_an_interruption_while_a_board_runs_ends_it(tmp_path: Path) -> None:
    """Else the pool would wait for a command that may run for ever."""
    fake, given_up = FakeLab(tmp_path), SimpleQueue[bool]()

    def ends(job: ProgramJob, cancelled: Event) -> ProgramResults:
        pthread_kill(main_thread().ident or 0, SIGINT)
        given_up.put(cancelled.wait(20))
        raise Cancelled

    fake.ends = ends
    with suppress(KeyboardInterrupt):
        (run,) = try_boards(["rpi2"], ProgramJob(("true",)), {}, (), fake.lab())
        assert run.status is Status.ABORTED
    # A pool does not wait for a thread whose start was interrupted.
    assert given_up.get(timeout=30)


def test_an_interrupted_command_keeps_its_output_and_its_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = FakeLab(tmp_path)
    killed = replace(RESULTS, stdout=b"so far\n", exit_code=None, signal=9, interrupted=True)
    fake.ends = lambda job, cancelled: killed
    words = make_parser().parse_args(["try", "rpi2", "--", "sleep", "9"])
    assert trying(words, fake.lab(), None) == 130
    printed = capsys.readouterr()
    assert printed.out == "so far\n"
    assert "interrupted" in printed.err and "real" in printed.err
    (run,) = [load_run(folder) for folder in finished_folders()]
    assert run.status is Status.ABORTED and only(run, ProgramResult).summary == "interrupted"


def test_what_is_recorded_is_what_was_pushed_though_it_is_built_anew(tmp_path: Path) -> None:
    file = tmp_path / "tool"
    file.write_bytes(b"old")
    file.chmod(0o755)
    fake, found = FakeLab(tmp_path), []

    def ends(job: ProgramJob, cancelled: Event) -> ProgramResults:
        file.write_bytes(b"new")
        (pushed,) = job.files
        found.append((pushed.name, pushed.read_bytes(), pushed.stat().st_mode & 0o777))
        return RESULTS

    fake.ends = ends
    (run,) = try_boards(["rpi2"], ProgramJob(("./tool",), files=(file,)), {}, (), fake.lab())
    assert found == [("tool", b"old", 0o755)]
    assert run.provenance.image["push tool"] == hashlib.sha256(b"old").hexdigest()


def test_a_folder_is_pushed_as_it_was_and_recorded_by_one_hash(tmp_path: Path) -> None:
    (tmp_path / "app/lib").mkdir(parents=True)
    (tmp_path / "app/lib/x").write_bytes(b"old")
    fake, found = FakeLab(tmp_path), []

    def ends(job: ProgramJob, cancelled: Event) -> ProgramResults:
        (tmp_path / "app/lib/x").write_bytes(b"new")
        (pushed,) = job.files
        found.append((pushed.name, (pushed / "lib/x").read_bytes()))
        return RESULTS

    fake.ends = ends
    (run,) = try_boards(
        ["rpi2"], ProgramJob(("true",), files=(tmp_path / "app",)), {}, (), fake.lab()
    )
    assert found == [("app", b"old")]
    assert only(run, ProgramResult).pushed == ("app",)
    assert len(run.provenance.image["push app"]) == 64


class Trials:
    """Commands that are tried, and what each would have read."""

    def __init__(self, folder: Path) -> None:
        self._fake = FakeLab(folder)
        self._fake.ends = self._ends
        self.read: list[bytes | None] = []

    def _ends(self, job: ProgramJob, cancelled: Event) -> ProgramResults:
        self.read.append(job.input.read_bytes() if job.input else None)
        return RESULTS

    def call(self, *words: str, given_input: TextIO | None = None) -> int:
        return trying(make_parser().parse_args(["try", *words]), self._fake.lab(), given_input)


@pytest.fixture
def trials(tmp_path: Path) -> Trials:
    return Trials(tmp_path)


UNREAD = "Standard input was not given to the command"


def test_a_command_reads_what_it_is_given(
    trials: Trials, folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folders / "sum").write_bytes(b"2^100\n\0\xff")
    assert trials.call("rpi2", "--stdin", "sum", "--", "bc") == 0
    with (folders / "sum").open() as file:
        assert trials.call("rpi2", "--stdin", "-", "--", "bc", given_input=file) == 0
    assert trials.read == [b"2^100\n\0\xff"] * 2
    assert UNREAD not in capsys.readouterr().err


def test_two_boards_have_a_page_that_compares_them(
    trials: Trials, capsys: pytest.CaptureFixture[str]
) -> None:
    assert trials.call("rpi2", "--compare", "orangepi-pc", "--", "true") == 0
    page = Path(capsys.readouterr().err.splitlines()[-1])
    assert page.name.startswith("compared-with-") and "orangepi-pc" in page.read_text()
    assert trials.call("rpi2", "--", "true") == 0
    assert "compared-with-" not in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"1+1\n"])
def test_a_pipe_that_nobody_closes_does_not_hold_a_trial_up(
    content: bytes, trials: Trials, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, writer = os.pipe()
    os.write(writer, content)
    with os.fdopen(reader) as file:
        assert trials.call("rpi2", "--", "bc", given_input=file) == 0
    os.close(writer)
    assert trials.read == [None]
    assert (UNREAD in capsys.readouterr().err) == bool(content)


def test_no_more_is_read_than_a_board_has_room_for(tmp_path: Path) -> None:
    with Path("/dev/zero").open("rb") as zeros:
        job = copy_job(ProgramJob(("true",)), zeros, tmp_path, 5)
    assert job.input is not None and job.input.read_bytes() == bytes(6)


def test_a_closed_standard_input_is_told(trials: Trials) -> None:
    assert trials.call("rpi2", "--", "bc") == 0
    with pytest.raises(UsageError, match="standard input is closed"):
        trials.call("rpi2", "--stdin", "-", "--", "bc")
