# SPDX-License-Identifier: Apache-2.0
"""Requests and answers over a channel that loses, changes and doubles bytes, or fails."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.model.errors import TargetError
from perfboard.probes.exchange import Exchange, ProbeAnswer
from perfboard.probes.frames import ACCEPTED, LINE, Frame, encode
from tests.support.probe_peer import Peer, Wire

LINES = [f'{{"metric":"m{n}","samples":[{",".join(map(str, range(n * 9)))}]}}' for n in range(40)]


def exchange_with(peer: Peer) -> Exchange:
    return Exchange(peer, clock=peer.clock)


def greeted(peer: Peer) -> Exchange:
    exchange = exchange_with(peer)
    exchange.hello()
    return exchange


def assert_fails(exchange: Exchange, kind: str, said: str | None = None) -> None:
    with pytest.raises(TargetError, match=said) as raised:
        exchange.run("run 30 a", 30)
    assert raised.value.kind == kind


def test_hello_and_a_whole_answer_arrive() -> None:
    peer = Peer({"a": lambda words: (LINES, "exit 0")}, chatter=b"[1.2] eth0: link up ~ ~~1.1:")
    exchange = exchange_with(peer)
    assert exchange.hello().arch == "x86_64"
    assert exchange.run("run 30 a --seconds 1", 30) == ProbeAnswer(tuple(LINES), "exit 0")
    assert peer.runs == ["run 30 a --seconds 1"]
    assert peer.asked_again == 0


@pytest.mark.parametrize("seed", range(40))
def test_damage_on_the_way_changes_no_answer_and_runs_nothing_twice(seed: int) -> None:
    wire = Wire(rate=0.0005, seed=seed)
    peer = Peer({"a": lambda words: (LINES, "exit 0")}, wire)
    exchange = greeted(peer)
    for round in range(5):
        assert exchange.run(f"run 30 a {round}", 30) == ProbeAnswer(tuple(LINES), "exit 0")
    assert wire.damage > 10
    assert [run.split()[-1] for run in peer.runs] == ["0", "1", "2", "3", "4"]


def test_an_echo_of_the_requests_is_no_answer() -> None:
    peer = Peer({"a": lambda words: (["one"], "exit 0")}, echoes=True)
    exchange = greeted(peer)
    assert exchange.run("run 30 a", 30) == ProbeAnswer(("one",), "exit 0")


def test_a_lost_greeting_is_asked_for() -> None:
    peer = Peer({}, greets=False)
    assert exchange_with(peer).hello().arch == "x86_64"


def test_a_long_run_is_waited_for_and_not_asked_for_twice() -> None:
    class Slow(Peer):
        due = 0.0

        def read(self, timeout_s: float) -> bytes:
            if self.runs and self.now < self.due:
                self.now += timeout_s
                return b""
            return super().read(timeout_s)

    peer = Slow({"a": lambda words: (["done"], "timeout")})
    exchange = greeted(peer)
    # The frame that says it was accepted comes late too: it is asked for again, not run again.
    peer.due = peer.now + 12
    assert exchange.run("run 30 a", 30) == ProbeAnswer(("done",), "timeout")
    assert len(peer.runs) == 1


class Eager(Peer):
    """Says again and again that it has accepted what it runs."""

    def read(self, timeout_s: float) -> bytes:
        assert self.now < 600
        if self.runs and not self._out:
            self.now += timeout_s
            self._put(Frame(self._last_id, 0, ACCEPTED, "run"))
        return super().read(timeout_s)


@pytest.mark.parametrize("kind", [Peer, Eager])
def test_one_that_accepts_and_never_ends_is_a_hang(kind: type[Peer]) -> None:
    peer = kind({"a": lambda words: None})
    exchange = greeted(peer)
    before = peer.now
    assert_fails(exchange, "hang", "accepted `run 30 a`")
    assert 30 < peer.now - before < 120


def test_one_that_begins_an_answer_and_then_only_accepts_is_a_hang() -> None:
    class Stuck(Eager):
        def _run(self, id: int, probe: str, arguments: Sequence[str]) -> list[Frame]:
            return [Frame(id, 1, LINE, "one")]

    assert_fails(greeted(Stuck({})), "hang", "does not answer")


def test_one_that_is_silent_is_a_hang() -> None:
    class Deaf(Peer):
        def write(self, data: bytes) -> None:
            pass

    peer = Deaf({})
    exchange = greeted(peer)
    while peer.read(1):
        pass
    assert_fails(exchange, "hang", "does not answer")


def test_one_that_falls_silent_after_the_kernel_has_spoken_is_a_hang() -> None:
    class Frozen(Peer):
        def _run(self, id: int, probe: str, arguments: Sequence[str]) -> list[Frame]:
            self._out += b"\r\n[   12.345678] usb 1-1: new device\r\n"
            return [Frame(id, 1, LINE, "one")]

        def write(self, data: bytes) -> None:
            if not self.runs:
                super().write(data)

    assert_fails(greeted(Frozen({})), "hang", "does not answer")


def test_one_that_never_greets_shows_what_it_said_instead() -> None:
    class Stranger(Peer):
        def write(self, data: bytes) -> None:
            self._out += b"sh: ./perfboard-probe: not found\r\n"

    with pytest.raises(TargetError, match="not found") as raised:
        exchange_with(Stranger({}, greets=False)).hello()
    assert raised.value.kind == "hang"


def test_a_greeting_that_never_arrives_whole_is_a_transfer_error() -> None:
    class WithoutChecksums(Peer):
        def _put(self, frame: Frame) -> None:
            self._out += encode(frame).replace(b":", b":00000000:", 1)

    with pytest.raises(TargetError, match="garbled") as raised:
        exchange_with(WithoutChecksums({})).hello()
    assert raised.value.kind == "transfer"


def test_a_line_that_garbles_everything_is_a_transfer_error() -> None:
    peer = Peer({"a": lambda words: (LINES, "exit 0")})
    exchange = greeted(peer)
    peer.wire = Wire(rate=0.2, seed=1)
    assert_fails(exchange, "transfer", "garbled")


def test_requests_that_never_arrive_whole_are_a_transfer_error() -> None:
    class OneWay(Peer):
        def write(self, data: bytes) -> None:
            super().write(data.replace(b" a", b" b"))

    assert_fails(greeted(OneWay({})), "transfer", "garbled")


def test_a_peer_that_goes_is_lost() -> None:
    peer = Peer({"a": lambda words: ([], "exit 0")}, dies_at=2)
    exchange = greeted(peer)
    exchange.run("run 30 a", 30)
    assert_fails(exchange, "lost")
    exchange.bye()


def test_an_answer_without_end_is_refused() -> None:
    class Endless(Peer):
        sent = 0

        def read(self, timeout_s: float) -> bytes:
            if not self.runs:
                return super().read(timeout_s)
            self.now += 0.001
            first, self.sent = self.sent + 1, self.sent + 500
            return b"".join(encode(Frame(1, n, "=", "x")) for n in range(first, self.sent + 1))

    assert_fails(greeted(Endless({"a": lambda words: None})), "garbage")


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.builds(
                lambda number, kind, text: encode(Frame(1, number, kind, text)),
                st.integers(0, 5),
                st.sampled_from("*+=.!"),
                st.text("ab", max_size=5),
            ),
        ),
        max_size=40,
    )
)
def test_whatever_a_peer_sends_ends_in_an_answer_or_a_typed_error(chunks: list[bytes]) -> None:
    class Liar(Peer):
        def write(self, data: bytes) -> None:
            if chunks:
                self._out += b"\n" + chunks.pop()

    peer = Liar({})
    exchange = greeted(peer)
    try:
        assert isinstance(exchange.run("run 30 a", 30), ProbeAnswer)
    except TargetError as error:
        assert error.kind in ("hang", "transfer", "garbage")
    assert peer.now < 600
