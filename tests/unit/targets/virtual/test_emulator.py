# SPDX-License-Identifier: Apache-2.0
"""An emulator that ends before its board does, played by a shell script."""

import json
import os
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import pytest

from perfboard.host.cache.cache import cache_root
from perfboard.model.errors import EnvironmentLacksError, TargetError
from perfboard.store.folder import runs_folder
from perfboard.targets.virtual.emulator import Emulator, emulator_version, started

VERSION = 'case "$*" in *--version*) echo QEMU emulator version 7.2.22; exit;; esac\n'


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))


def emulator(folder: Path, script: str, seccomp: bool = True) -> AbstractContextManager[Emulator]:
    program = folder / "qemu-system-arm"
    refuses = "" if seccomp else 'case "$*" in *-sandbox*) exit 1;; esac\n'
    program.write_text(f"#!/bin/sh\n{refuses}{VERSION}{script}\n")
    program.chmod(0o755)
    return started([str(program)], [], folder)


@pytest.mark.parametrize(
    ("script", "error", "said"),
    [
        ("echo out of luck; exit 7", TargetError, "exit code 7"),
        ("kill -9 $$", TargetError, "signal 9"),
        (
            "echo 'scope: this emulator does not have: icount_get' >&2; exit 1",
            EnvironmentLacksError,
            "cannot load the scope",
        ),
        (
            "echo 'scope: this emulator does not have what a timed board needs: timers_state' >&2;"
            "exit 1",
            EnvironmentLacksError,
            "timers_state\n.*--set detail=counted",
        ),
        (
            "echo 'scope: this emulator does not have a clock that a model can set: shift'; exit 1",
            EnvironmentLacksError,
            "shift\n.*--set detail=counted",
        ),
        (
            "echo 'qemu: -plugin: invalid option'; exit 1",
            EnvironmentLacksError,
            "cannot load the scope",
        ),
        ("echo 'write: No space left on device'; exit 1", EnvironmentLacksError, "disk is full"),
    ],
)
def test_how_it_ended_is_said(
    tmp_path: Path, script: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said), emulator(tmp_path, script) as running:
        running.connect()


def test_the_command_is_the_first_line_of_the_log(tmp_path: Path) -> None:
    with pytest.raises(TargetError), emulator(tmp_path, "exit 1") as running:
        running.connect()
    assert "-mon chardev=monitor" in (tmp_path / "emulator.log").read_text().splitlines()[0]


@pytest.mark.parametrize("seccomp", [True, False])
def test_it_has_a_sandbox_unless_it_was_built_without(tmp_path: Path, seccomp: bool) -> None:
    with pytest.raises(TargetError), emulator(tmp_path, "exit 9", seccomp) as running:
        running.connect()
    command = (tmp_path / "emulator.log").read_text().splitlines()[0]
    assert ("-sandbox on," in command) == seccomp
    version = emulator_version(str(tmp_path / "qemu-system-arm"))
    assert version == ("7.2.22" if seccomp else "7.2.22, without a sandbox")


def test_it_works_in_its_own_folder(tmp_path: Path) -> None:
    with pytest.raises(TargetError), emulator(tmp_path, "echo x >written; exit 1") as running:
        running.connect()
    assert (tmp_path / "written").exists()


def test_the_folders_that_it_is_given_are_the_same_from_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "home")
    monkeypatch.chdir(tmp_path)
    assert cache_root().is_absolute()
    assert runs_folder().is_absolute()


def test_one_that_will_not_end_is_ended(tmp_path: Path) -> None:
    before = psutil.Process().children()
    with pytest.raises(ZeroDivisionError), emulator(tmp_path, "trap '' TERM INT; exec sleep 60"):
        started = [child for child in psutil.Process().children() if child not in before]
        raise ZeroDivisionError
    assert started and not any(child.is_running() for child in started)


# Says each line on its monitor, or hears one for "?", and then only listens.
SPEAKS = """
import json, re, socket, sys
number = re.search("socket,id=monitor,fd=([0-9]+)", " ".join(sys.argv))[1]
wire = socket.socket(fileno=int(number)).makefile("rw")
for line in {lines!r}:
    if line == "?":
        print(wire.readline(), end="", flush=True)
    else:
        print(line, file=wire, flush=True)
while wire.readline():
    pass
"""
GREETING = '{"QMP": {"version": {}, "capabilities": []}}'
DONE = '{"return": {}}'
EVENT = '{"event": "RESUME", "timestamp": {"seconds": 1, "microseconds": 2}}'


def speaking(folder: Path, *lines: str) -> AbstractContextManager[Emulator]:
    (folder / "speaks.py").write_text(SPEAKS.format(lines=lines))
    return emulator(folder, f'exec {sys.executable} {folder}/speaks.py "$@"')


def test_events_come_between_a_command_and_its_answer(tmp_path: Path) -> None:
    with speaking(tmp_path, GREETING, "?", DONE, "?", EVENT, DONE, "?", DONE) as running:
        running.connect()
        running.resume()
        running.save_memory(4096, 8, tmp_path / "memory")
    said = [json.loads(line) for line in (tmp_path / "emulator.log").read_text().splitlines()[1:]]
    assert [each["execute"] for each in said] == ["qmp_capabilities", "cont", "pmemsave"]
    assert said[2]["arguments"] == {"val": 4096, "size": 8, "filename": f"{tmp_path}/memory"}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["nothing of JSON"], "monitor"),
        (["[]", "7"], "does not greet"),
        ([GREETING, '{"error": {"class": "GenericError", "desc": "no room"}}'], "no room"),
    ],
)
def test_an_answer_that_is_none_is_an_error(tmp_path: Path, lines: list[str], words: str) -> None:
    with speaking(tmp_path, *lines) as running, pytest.raises(TargetError, match=words):
        running.connect()


INTERRUPTED = """
import signal, sys
from pathlib import Path
from perfboard.targets.virtual.emulator import started
signal.signal(signal.SIGALRM, signal.default_int_handler)
try:
    with started([sys.argv[1]], [], Path(sys.argv[2])) as running:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        running.connect()
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interruption_while_it_sets_itself_up_says_no_more(tmp_path: Path) -> None:
    speaking(tmp_path)
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "qemu-system-arm"), str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
