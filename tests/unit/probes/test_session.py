# SPDX-License-Identifier: Apache-2.0
"""The probe on a target in memory: pushed, started, asked, removed; and every way it fails."""

import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from perfboard.binaries.probe_build import ARCHITECTURES
from perfboard.model.board.architecture import ARCHITECTURES as IMAGES_ARCHITECTURES
from perfboard.model.errors import EnvironmentLacksError, TargetError
from perfboard.model.progress import SilentProgress
from perfboard.model.run import Evidence
from perfboard.probes.session import ProbeSession, probe_session
from perfboard.targets.base import Reply, Target
from tests.support.probe_peer import FakeShell, Peer, Program


def make(machine: str = "x86_64", **changes: Any) -> FakeShell:
    """A shell whose server is a Peer with the changes given."""
    programs: dict[str, Program] = {
        "list": lambda words: (['{"probe":"a","summary":"s","weight":1}'], "exit 0"),
        "a": lambda words: ([f'{{"note":"{" ".join(words)}"}}'], "exit 0"),
    }
    return FakeShell(machine, lambda file: Peer(programs, file=file, **changes))


def on(shell: FakeShell, **fields: Any) -> AbstractContextManager[ProbeSession]:
    content: dict[str, Any] = {"name": "ssh://board", "evidence": Evidence.SILICON, "shell": shell}
    target = Target(**(content | fields))
    # Any file does for a binary that nobody runs.
    return probe_session(target, SilentProgress(), lambda *_: Path(__file__), shell.clock)


def test_probes_are_listed_and_run_and_nothing_stays() -> None:
    shell = make("armv5tejl")
    with on(shell) as session:
        assert (session.machine, session.arch) == ("armv5tejl", "armv5te")
        assert [probe.name for probe in session.probes()] == ["a"]
        answer = session.run("a", ["--seconds", "0.1"], 12.2)
        assert answer.lines == ('{"note":"--seconds 0.1"}',)
        assert shell.peers[0].runs[-1] == "run 13 a --seconds 0.1"
        assert shell.folders
    (peer,) = shell.peers
    assert peer.said_bye
    assert peer.closed
    assert shell.folders == set()
    # The folder goes even when the connection is lost.
    (script,) = shell.scripts
    assert re.fullmatch(
        r"trap '' HUP; cd (/tmp/perfboard-\w+) && ./perfboard-probe serve; "
        r"stty echo 2>/dev/null; cd /; rm -rf \1",
        script,
    )


def test_a_console_is_told_how_long_to_wait_for_a_word() -> None:
    shell = make()
    with on(shell, idle_s=120.0):
        assert "perfboard-probe serve --idle 120;" in shell.scripts[0]


def test_a_binary_that_arrives_damaged_is_pushed_again() -> None:
    shell = make()
    shell.damage_pushes = 2
    with on(shell) as session:
        assert session.probes()
    assert len(shell.peers) == 3
    assert all(peer.closed for peer in shell.peers)
    assert shell.folders == set()


def test_a_binary_that_always_arrives_damaged_is_an_error() -> None:
    shell = make()
    shell.damage_pushes = 100
    with pytest.raises(TargetError, match="arrives damaged on ssh://board") as raised:
        on(shell).__enter__()
    assert raised.value.kind == "transfer"
    assert shell.folders == set()


def test_a_target_that_knows_its_binary_gets_that() -> None:
    with on(make("i686"), probe="i486") as session:
        assert (session.machine, session.arch) == ("i686", "i486")


def test_every_board_has_a_binary() -> None:
    assert {known.probe for known in IMAGES_ARCHITECTURES} <= set(ARCHITECTURES)


def test_a_machine_without_a_binary_is_named_with_those_there_are() -> None:
    with pytest.raises(EnvironmentLacksError) as raised:
        on(make("s390x")).__enter__()
    assert "'s390x'" in str(raised.value)
    assert all(arch in str(raised.value) for arch in ARCHITECTURES)


@pytest.mark.parametrize(
    ("status", "output"), [(127, ""), (0, ""), (0, " \n"), (1, "sh: uname: not found")]
)
def test_a_target_that_does_not_name_its_machine(status: int, output: str) -> None:
    shell = make()
    shell.answers["uname -m"] = Reply(status, output)
    with pytest.raises(TargetError, match="what machine") as raised:
        on(shell).__enter__()
    assert raised.value.kind == "garbage"


@pytest.mark.parametrize(("little", "machine"), [(0, "mipsel"), (1, "mips")])
def test_the_byte_order_of_mips_is_asked_for(little: int, machine: str) -> None:
    shell = make("mips")
    shell.answers["/bin/sh"] = Reply(little, "")
    if little == 0:
        with on(shell) as session:
            assert session.arch == machine
    else:
        with pytest.raises(EnvironmentLacksError, match=r"'mips'.* for that"):
            on(shell).__enter__()


@pytest.mark.parametrize(("lacks", "arch"), [(0, "armv5te"), (1, "armv7")])
def test_an_armv7_without_neon_gets_the_probe_that_wants_none(lacks: int, arch: str) -> None:
    shell = make("armv7l")
    shell.answers["neon"] = Reply(lacks, "")
    with on(shell) as session:
        assert session.arch == arch


def test_a_program_that_does_not_start_shows_what_was_said() -> None:
    said = b"sh: ./perfboard-probe: Permission denied\n"
    shell = make(greets=False, prompt=said, dead=True)
    with pytest.raises(TargetError, match="Permission denied") as raised:
        on(shell).__enter__()
    assert raised.value.kind == "lost"
    assert shell.folders == set()
    assert shell.peers[0].closed


def test_a_server_that_dies_on_a_target_that_lives() -> None:
    shell = make(dies_at=2)
    with on(shell) as session:
        session.probes()
        with pytest.raises(TargetError, match=r"while a ran.*still answers") as raised:
            session.run("a", (), 5)
    assert raised.value.kind == "died"
    assert shell.folders == set()


def test_a_target_that_is_lost_is_not_waited_for() -> None:
    shell = make(dies_at=2)
    with pytest.raises(TargetError, match="stream ended") as raised, on(shell) as session:
        session.probes()
        shell.gone = True
        session.run("a", (), 5)
    assert raised.value.kind == "lost"
    assert shell.peers[0].closed


def test_an_interruption_leaves_nothing_running() -> None:
    shell = make()

    def interrupted(words: object) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), on(shell) as session:
        shell.peers[0].programs["a"] = interrupted
        session.run("a", (), 5)
    assert shell.peers[0].said_bye
    assert shell.peers[0].closed
    assert shell.folders == set()


def test_a_virtual_boards_seconds_may_be_long() -> None:
    waited = {}
    for evidence in (Evidence.SILICON, Evidence.COUNTED):
        shell = make()
        with on(shell, evidence=evidence) as session:
            shell.peers[0].programs["a"] = lambda words: None
            with pytest.raises(TargetError):
                session.run("a", (), 100)
            waited[evidence] = shell.peers[0].now
    assert waited[Evidence.COUNTED] > 5 * waited[Evidence.SILICON]
