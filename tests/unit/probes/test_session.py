# SPDX-License-Identifier: Apache-2.0
"""The probe on a target in memory: pushed, started, asked, removed; and every way it fails."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from perfboard.binaries.probe_build import ARCHITECTURES
from perfboard.model.board.architecture import ARCHITECTURES as IMAGES_ARCHITECTURES
from perfboard.model.errors import EnvironmentLacksError, TargetError
from perfboard.model.progress import SilentProgress
from perfboard.model.run import Evidence
from perfboard.probes import session as session_module
from perfboard.probes.exchange import Exchange
from perfboard.probes.session import ProbeSession
from perfboard.targets.base import Completed, Shell, Target
from tests.support.probe_peer import FakeShell, Peer

BINARY = b"\x7fELF and so on"


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeShell]:
    """A shell whose server is a Peer with the changes given."""
    binary = tmp_path / "perfboard-probe"
    binary.write_bytes(BINARY)
    asked: list[str] = []

    def find(arch: str, progress: object) -> Path:
        asked.append(arch)
        return binary

    @contextmanager
    def folder(shell: Shell) -> Iterator[str]:
        assert isinstance(shell, FakeShell)
        path = f"/tmp/it's {len(shell.scripts)}"
        shell.folders.add(path)
        try:
            yield path
        finally:
            if not shell.gone:
                shell.folders.remove(path)

    class Clock:
        """Of the newest peer, so that no test waits."""

        peer: Peer | None = None

        def monotonic(self) -> float:
            return self.peer.now if self.peer else 0.0

    clock = Clock()
    monkeypatch.setattr(session_module, "find_binary", find)
    monkeypatch.setattr(session_module, "working_folder", folder)

    def exchange(channel: Peer, patience: float) -> Any:
        clock.peer = channel
        return Exchange(channel, patience, clock.monotonic)

    monkeypatch.setattr(session_module, "Exchange", exchange)

    def made(machine: str = "x86_64", **changes: Any) -> FakeShell:
        programs = {
            "list": lambda words: (['{"applet":"a","summary":"s","weight":1}'], "exit 0"),
            "a": lambda words: ([f'{{"note":"{" ".join(words)}"}}'], "exit 0"),
        }
        given: dict[str, Any] = {"programs": programs} | changes
        shell = FakeShell(machine, lambda file: Peer(**({"file": file} | given)))
        shell.asked = asked  # type: ignore[attr-defined]
        return shell

    return made


def on(shell: FakeShell, **fields: Any) -> ProbeSession:
    content: dict[str, Any] = {"name": "ssh://board", "evidence": Evidence.SILICON, "shell": shell}
    return ProbeSession(Target(**(content | fields)), SilentProgress())


def test_probes_are_listed_and_run_and_nothing_stays(make: Callable[..., FakeShell]) -> None:
    shell = make("armv5tejl")
    with on(shell) as session:
        assert (session.machine, session.arch) == ("armv5tejl", "armv5te")
        assert [applet.name for applet in session.applets()] == ["a"]
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
    assert script == (
        "trap '' HUP; cd '/tmp/it'\"'\"'s 0' && ./perfboard-probe serve; "
        "stty echo 2>/dev/null; cd /; rm -rf '/tmp/it'\"'\"'s 0'"
    )


def test_a_console_is_told_how_long_to_wait_for_a_word(make: Callable[..., FakeShell]) -> None:
    shell = make()
    with on(shell, idle_s=120.0):
        assert "perfboard-probe serve --idle 120;" in shell.scripts[0]


def test_a_binary_that_arrives_damaged_is_pushed_again(make: Callable[..., FakeShell]) -> None:
    shell = make()
    shell.damage_pushes = 2
    with on(shell) as session:
        assert session.applets()
    assert len(shell.peers) == 3
    assert all(peer.closed for peer in shell.peers)
    assert shell.folders == set()


def test_a_binary_that_always_arrives_damaged_is_an_error(make: Callable[..., FakeShell]) -> None:
    shell = make()
    shell.damage_pushes = 100
    with pytest.raises(TargetError, match="arrives damaged on ssh://board") as raised:
        on(shell).__enter__()
    assert raised.value.kind == "transfer"
    assert shell.folders == set()


def test_a_target_that_knows_its_binary_gets_that(make: Callable[..., FakeShell]) -> None:
    with on(make("i686"), probe="i486") as session:
        assert (session.machine, session.arch) == ("i686", "i486")


def test_every_board_has_a_binary() -> None:
    assert {known.probe for known in IMAGES_ARCHITECTURES} <= set(ARCHITECTURES)


def test_a_machine_without_a_binary_is_named_with_those_there_are(
    make: Callable[..., FakeShell],
) -> None:
    with pytest.raises(EnvironmentLacksError) as raised:
        on(make("s390x")).__enter__()
    assert "'s390x'" in str(raised.value)
    assert all(arch in str(raised.value) for arch in ARCHITECTURES)


@pytest.mark.parametrize(
    ("status", "output"), [(127, ""), (0, ""), (0, " \n"), (1, "sh: uname: not found")]
)
def test_a_target_that_does_not_name_its_machine(
    make: Callable[..., FakeShell], monkeypatch: pytest.MonkeyPatch, status: int, output: str
) -> None:
    shell = make()
    monkeypatch.setattr(shell, "run", lambda script, **_: Completed(status, output))
    with pytest.raises(TargetError, match="what machine") as raised:
        on(shell).__enter__()
    assert raised.value.kind == "garbage"


def answer(shell: FakeShell, monkeypatch: pytest.MonkeyPatch, words: str, status: int) -> None:
    """Lets a script that has these words end so, and print nothing."""
    plain = shell.run
    monkeypatch.setattr(
        shell,
        "run",
        lambda script, **_: Completed(status, "") if words in script else plain(script),
    )


@pytest.mark.parametrize(("little", "machine"), [(0, "mipsel"), (1, "mips")])
def test_the_byte_order_of_mips_is_asked_for(
    make: Callable[..., FakeShell], monkeypatch: pytest.MonkeyPatch, little: int, machine: str
) -> None:
    shell = make("mips")
    answer(shell, monkeypatch, "/bin/sh", little)
    if little == 0:
        with on(shell) as session:
            assert session.arch == machine
    else:
        with pytest.raises(EnvironmentLacksError, match=r"'mips'.* for that"):
            on(shell).__enter__()


@pytest.mark.parametrize(("lacks", "arch"), [(0, "armv5te"), (1, "armv7")])
def test_an_armv7_without_neon_gets_the_probe_that_wants_none(
    make: Callable[..., FakeShell], monkeypatch: pytest.MonkeyPatch, lacks: int, arch: str
) -> None:
    shell = make("armv7l")
    answer(shell, monkeypatch, "neon", lacks)
    with on(shell) as session:
        assert session.arch == arch


def test_a_program_that_does_not_start_shows_what_was_said(make: Callable[..., FakeShell]) -> None:
    shell = make(greets=False, chatter=b"")
    real = shell.start

    def start(script: str) -> Peer:
        peer = real(script)
        peer._out += b"sh: ./perfboard-probe: Permission denied\n"
        peer.dead = True
        return peer

    shell.start = start  # type: ignore[method-assign]
    with pytest.raises(TargetError, match="Permission denied") as raised:
        on(shell).__enter__()
    assert raised.value.kind == "lost"
    assert shell.folders == set()
    assert shell.peers[0].closed


def test_a_server_that_dies_on_a_target_that_lives(make: Callable[..., FakeShell]) -> None:
    shell = make(dies_at=2)
    with on(shell) as session:
        session.applets()
        with pytest.raises(TargetError, match=r"while a ran.*still answers") as raised:
            session.run("a", (), 5)
    assert raised.value.kind == "died"
    assert shell.folders == set()


def test_a_target_that_is_lost_is_not_waited_for(make: Callable[..., FakeShell]) -> None:
    shell = make(dies_at=2)
    with pytest.raises(TargetError, match="stream ended") as raised, on(shell) as session:
        session.applets()
        shell.gone = True
        session.run("a", (), 5)
    assert raised.value.kind == "lost"
    assert shell.peers[0].closed


def test_an_interruption_leaves_nothing_running(make: Callable[..., FakeShell]) -> None:
    shell = make()

    def interrupted(words: object) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), on(shell) as session:
        shell.peers[0].programs["a"] = interrupted  # type: ignore[index]
        session.run("a", (), 5)
    assert shell.peers[0].said_bye
    assert shell.peers[0].closed
    assert shell.folders == set()


def test_a_virtual_boards_seconds_may_be_long(make: Callable[..., FakeShell]) -> None:
    waited = {}
    for evidence in (Evidence.SILICON, Evidence.COUNTED):
        shell = make()
        with on(shell, evidence=evidence) as session:
            shell.peers[0].programs["a"] = lambda words: None  # type: ignore[index]
            with pytest.raises(TargetError):
                session.run("a", (), 100)
            waited[evidence] = shell.peers[0].now
    assert waited[Evidence.COUNTED] > 5 * waited[Evidence.SILICON]
