# SPDX-License-Identifier: Apache-2.0
"""The command in surroundings that lack something: words and an exit code, never a traceback."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from tests.support.golden import unpack

PERFBOARD = (sys.executable, "-m", "perfboard.cli.main")


@pytest.fixture
def run_id(homes: Path) -> str:
    """The id of the one stored run."""
    return unpack("measure-local", homes / "data/perfboard/runs").name


def environment(variables: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | dict(variables)


def perfboard(
    *words: str, variables: Mapping[str, str] = MappingProxyType({}), **options: Any
) -> subprocess.CompletedProcess[bytes]:
    """The command with other variables; nothing that it says is a traceback."""
    options.setdefault("stdout", subprocess.PIPE)
    ended: subprocess.CompletedProcess[bytes] = subprocess.run(
        [*PERFBOARD, *words],
        stderr=subprocess.PIPE,
        env=environment(variables),
        check=False,
        **options,
    )
    assert b"Traceback" not in ended.stderr and b"Exception" not in ended.stderr
    return ended


def limited(kind: int, value: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (value, value))


def test_an_encoding_that_lacks_characters(run_id: str) -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    shown = perfboard("show", "latest", variables=ascii_only)
    assert shown.returncode == 0 and b"\\u00b1" in shown.stdout
    plain = perfboard("show", "latest", "--json")
    escaped = perfboard("show", "latest", "--json", variables=ascii_only)
    assert json.loads(escaped.stdout) == json.loads(plain.stdout)
    assert escaped.stdout.isascii()


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(run_id: str, closed: str, homes: Path) -> None:
    script = f'"$@" {closed}'
    for words, code in ((["report", "latest"], 0), (["show", "nosuch"], 2)):
        ended = subprocess.run(
            ["sh", "-c", script, "sh", *PERFBOARD, *words],
            env=environment(),
            capture_output=True,
            check=False,
        )
        assert ended.returncode == code
        assert b"Traceback" not in ended.stderr
    report = homes / "data/perfboard/runs" / run_id / "report.html"
    assert report.read_text().startswith("<!DOCTYPE html>")


def test_a_full_standard_output_is_named_and_one_that_is_left_is_not(run_id: str) -> None:
    with Path("/dev/full").open("wb") as full:
        for words in (["show", "latest"], ["--help"]):
            ended = perfboard(*words, stdout=full)
            assert ended.returncode == 3
            assert ended.stderr == b"perfboard: standard output: No space left on device\n"
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as left:
        ended = perfboard("show", "latest", stdout=left)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_no_memory_and_no_files(run_id: str) -> None:
    # A record of some kB is read in that: no room is set aside for the longest.
    assert perfboard("show", preexec_fn=limited(resource.RLIMIT_AS, 700 << 20)).returncode == 0
    # A library of numbers ends a process that has less in ways of its own.
    for megabytes in (255, 150, 100, 60, 30):
        ended = perfboard("show", preexec_fn=limited(resource.RLIMIT_AS, megabytes << 20))
        assert ended.returncode == 3
        assert re.match(b"perfboard: .*too little memory.*ulimit -v", ended.stderr)
    for files in (5, 6, 7, 8):
        ended = perfboard("show", preexec_fn=limited(resource.RLIMIT_NOFILE, files))
        assert ended.returncode == 0 or (ended.returncode, b"(ulimit -n" in ended.stderr) == (
            3,
            True,
        )
    ended = perfboard("measure", preexec_fn=limited(resource.RLIMIT_NOFILE, 6))
    assert ended.returncode == 3
    assert ended.stderr == b"perfboard: Too many open files; raise the limit (ulimit -n)\n"


# Root may start any number: so another user does that, who may read root's files.
OTHER = (
    *("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"),
    *("--inh-caps", "+dac_override", "--ambient-caps", "+dac_override"),
)


def test_no_processes() -> None:
    start = (*(OTHER if os.geteuid() == 0 else ()), "prlimit", "--nproc=0:0")
    for words in (["measure", "kernel.syscall"], ["study", "boot", "--board", "verdex"]):
        ended = subprocess.run(
            [*start, *PERFBOARD, *words], env=environment(), capture_output=True, check=False
        )
        # A library of threads says its own lines, and interrupts.
        lines = ended.stderr.splitlines()
        assert (ended.returncode, len(lines)) == (3, 1), ended.stderr
        assert lines[0].endswith(
            b"no more processes or threads; end some, or raise the limit (ulimit -u)"
        )


def test_a_reader_of_files_keeps_to_a_users_lower_limit() -> None:
    code = """
from pathlib import Path
from perfboard.host.programs.reader import tool_output
with tool_output(["sh", "-c", "ulimit -v"], "sh", Path("file")) as stream:
    print(stream.read().decode())
"""
    start = (*(OTHER if os.geteuid() == 0 else ()), "prlimit", f"--as={900 << 20}")
    words = [*start, sys.executable, "-c", code]
    done = subprocess.run(words, env=environment(), capture_output=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, b"921600"), done.stderr


@pytest.mark.parametrize("asked", ["", "default"])
def test_a_librarys_warning_is_for_who_asks(run_id: str, tmp_path: Path, asked: str) -> None:
    warns = "import atexit, warnings\natexit.register(warnings.warn, 'overflow', RuntimeWarning)\n"
    (tmp_path / "sitecustomize.py").write_text(warns)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    ended = perfboard("show", variables={"PYTHONPATH": path, "PYTHONWARNINGS": asked})
    assert (ended.returncode, b"overflow" in ended.stderr) == (0, bool(asked))


def test_a_working_folder_that_is_gone(run_id: str, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'rmdir "$PWD"; exec "$@"'
    for words, code in (
        (["report"], 0),
        (["boards", "show", "./board.toml"], 2),
    ):
        gone.mkdir(exist_ok=True)
        ended = subprocess.run(
            ["sh", "-c", script, "sh", *PERFBOARD, *words],
            cwd=gone,
            env=environment(),
            capture_output=True,
            check=False,
        )
        assert (ended.returncode, b"Traceback" in ended.stderr) == (code, False), ended.stderr


@pytest.mark.parametrize(
    "variables",
    [
        {"HOME": "/proc/nowhere", "XDG_DATA_HOME": "", "XDG_CACHE_HOME": ""},
        {"HOME": "/dev/null", "XDG_DATA_HOME": "", "XDG_CACHE_HOME": ""},
        {"XDG_DATA_HOME": "/dev/null", "XDG_CACHE_HOME": "/proc/1/nothing"},
        {"TMPDIR": "/proc/nowhere", "TERM": "nosuch", "COLUMNS": "wide", "LANG": "nosuch"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_odd_variables(run_id: str, variables: dict[str, str]) -> None:
    for words in (["runs"], ["show"]):
        assert perfboard(*words, variables=variables).returncode in (0, 2, 3)


def test_names_that_are_no_text(homes: Path) -> None:
    odd = os.fsdecode(b"caf\xe9\x1b[31m")
    place = homes / odd / "perfboard/runs"
    run = unpack("measure-local", place)
    variables = {"XDG_DATA_HOME": str(homes / odd)}
    ended = perfboard("report", variables=variables)
    assert ended.returncode == 0 and b"\x1b" not in ended.stdout and b"caf??[31m" in ended.stdout
    ended = perfboard("report", "--json", variables=variables)
    assert json.loads(ended.stdout)["report"] == str(run / "report.html")
    for words in (["show", odd], ["boards", "show", f"./{odd}"], ["boards", "show", f"~{odd}/b"]):
        assert perfboard(*words, variables=variables).returncode == 2


def test_an_interrupt_after_the_end_changes_nothing() -> None:
    # What is last to go in Python's own end sends it.
    code = (
        "import os, signal, sys, perfboard.cli.main as m\n"
        "class Last:\n"
        "    def __del__(self, kill=os.kill, own=os.getpid(), number=signal.SIGINT):\n"
        "        kill(own, number)\n"
        "sys.last = Last()\n"
        "m.run()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, "runs"], env=environment(), capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("delay_s", [0.0, 0.05])
def test_an_interrupt_at_the_start_is_no_traceback(delay_s: float) -> None:
    # It prints once Python itself has started, whose own words are not ours to change.
    code = "import perfboard.cli.main as m, time; print(flush=True); m.run()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "runs"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        signal.sigtimedwait([], delay_s)
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() in (b"perfboard: interrupted\n", b"")
        assert process.wait() in (0, 130)
