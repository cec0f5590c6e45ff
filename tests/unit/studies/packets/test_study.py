# SPDX-License-Identifier: Apache-2.0
"""The study of packets on a device in memory, which answers so many a second and no more."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from perfboard.bench.request import Request
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.results.packets import PacketsResult
from perfboard.model.rows import row_line
from perfboard.model.run import Evidence, Run, Status
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.studies.base import run_study
from perfboard.studies.packets.study import STUDY, PacketsOptions
from perfboard.targets.base import Channel, Reply, Target
from tests.support.lab import FakeLab
from tests.support.shells import SayingShell

TRIE = "  |-- 192.168.7.2\n     /32 host LOCAL\n"
COUNTED = "@file /proc/sys/net/ipv4/icmp_ratemask\n6168\n"
# What a sender reaches, and how late it is for a load: the trial's line from these.
Answers = Callable[[str, int, float, float, int], str]


class _Program:
    """A program of the probe: each line that is written is answered."""

    def __init__(self, first: str, answer: Callable[[str], str]) -> None:
        self._text, self._answer = f"noise\n{first}\n", answer

    def write(self, data: bytes) -> None:
        for line in data.decode().splitlines():
            self._text += self._answer(line) + "\n"

    def read(self, timeout_s: float) -> bytes:
        text, self._text = self._text, ""
        if not text:
            raise TargetError("lost", "The program has ended.")
        return text.encode()

    def close(self) -> None:
        pass


class _Device(SayingShell):
    """A device and its senders at once. Its queue drops what is above `rate` requests a second."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate, self.dropped = rate, 0
        self.trial: Callable[[str], str] = self.answer
        self.greeting = row_line("ready", mtu=1500)

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        answers = {
            "uname -m": "x86_64",
            "uname -srm": "Linux 6.1 x86_64",
            "cat /proc/net/fib_trie": TRIE,
            'echo "TMPDIR=$TMPDIR"; echo "HOME=$HOME"; echo "PWD=$(pwd)"': "TMPDIR=/tmp",
        }
        queue = row_line("queue", interface="eth0", kind="tbf", packets=0, drops=self.dropped)
        return Reply(0, answers.get(script, COUNTED + queue))

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        pass

    def start(self, script: str) -> Channel:
        if " echo " in script:
            echoed = row_line("echoed", datagrams=1, busy_us=1)
            return _Program(row_line("port", port=7777), lambda line: echoed)
        assert re.search(r" packets (icmp|udp) 192\.168\.7\.2 (0|7777)$", script)
        return _Program(self.greeting, lambda line: self.trial(line))

    def answer(self, line: str, **odd: int) -> str:
        """The row of a trial, with `odd` members."""
        _, milliseconds, rate, _ = map(int, line.split())
        seconds = milliseconds / 1000
        load = rate / 1000 if rate else self.rate
        sent = round(load * seconds)
        lost = round(max(0.0, (load - self.rate) * seconds))
        self.dropped += lost
        row = {"sent": sent, "answered": sent - lost, "late": 3, "took_us": milliseconds * 1000}
        row |= {"behind_us": 20, "burst": 1, "busy_us": 1000, "error": 0}
        return row_line("trial", **row | odd)


def lab_of(tmp_path: Path, device: _Device) -> Any:
    @contextmanager
    def open_it(name: str, *_: object) -> Iterator[Target]:
        yield Target(name, Evidence.SILICON, device, probe="x86_64")

    return FakeLab(tmp_path).lab(open=open_it)


def run(tmp_path: Path, device: _Device, **options: Any) -> Run:
    given = PacketsOptions(**{"address": "192.168.7.2", **options})
    request = Request("ssh://root@board", {}, ("perfboard",))
    return run_study(STUDY, request, given, lab_of(tmp_path, device))


def test_the_rate_and_what_limits_it_are_found(tmp_path: Path) -> None:
    found = run(tmp_path, _Device(4000.0))
    assert found.status is Status.COMPLETE, found.errors
    (result,) = found.results_of(PacketsResult)
    assert result.icmp_before == result.icmp_after == {"icmp_ratemask": "6168"}
    for echo in result.echoes:
        assert echo.lower is not None and 3980 <= echo.lower <= 4001
        assert echo.place == "the device's queue tbf of eth0"
        assert echo.curve[-1].payload == 1472 and echo.bias > 0
    paced = [m for m in found.metrics if m.name == "network.packets.paced"]
    assert [m.labels for m in paced] == [{"protocol": "icmp"}, {"protocol": "udp"}]
    text = run_text(found)
    assert "echo replies are not limited" in text and max(map(len, text.splitlines())) <= 80
    assert "tbf" in render(found)


def test_senders_are_added_while_the_sum_grows(tmp_path: Path) -> None:
    device = _Device(1000.0)
    found = run(tmp_path, device, sender=("local", "ssh://two", "ssh://three"))
    flood = found.results_of(PacketsResult)[0].echoes[0].flood
    # Each of this device's senders floods as fast as the first: no end is found.
    assert [row.senders for row in flood] == [1, 2, 3]
    assert flood[2].rate == pytest.approx(6000, rel=0.01)


def test_a_late_senders_trial_is_repeated_and_never_counted(tmp_path: Path) -> None:
    device = _Device(4000.0)
    trials = 0

    def late_at_first(line: str) -> str:
        nonlocal trials
        trials += 1
        if trials % 2 and int(line.split()[2]):
            # The burst costs packets, which the search must not see.
            return device.answer(line, sent=1000, answered=900, behind_us=40_000, burst=160)
        return device.answer(line)

    device.trial = late_at_first
    echo = run(tmp_path, device).results_of(PacketsResult)[0].echoes[0]
    assert echo.lower is not None and 3980 <= echo.lower <= 4001
    assert any(not row.counts for row in echo.trials)


@pytest.mark.parametrize("slowest", [50_000_000, 0])
def test_a_sender_that_is_always_late_is_the_limit(slowest: int, tmp_path: Path) -> None:
    device = _Device(1e6)

    def slow(line: str) -> str:
        if int(line.split()[2]) > slowest:
            return device.answer(line, behind_us=40_000, burst=5000)
        return device.answer(line)

    device.trial = slow
    found = run(tmp_path, device)
    echo = found.results_of(PacketsResult)[0].echoes[0]
    assert echo.place == "the senders" and "late in each of" in echo.why
    # From the first paced load on, there is no rate, and a note says why.
    assert (echo.lower is None) == (slowest == 0)
    said = any(
        note.startswith("Not measured: network.packets.paced: icmp: the search was given up")
        for note in found.provenance.notes
    )
    assert said == (slowest == 0)


def test_silence_is_said_and_is_no_rate(tmp_path: Path) -> None:
    device = _Device(1.0)
    device.trial = lambda line: row_line("refused", what="trial", why="nothing answers")
    found = run(tmp_path, device)
    assert found.errors[0].kind == "inconclusive" and "firewall" in found.errors[0].message
    assert not found.metrics


def test_a_sender_without_the_right_to_send_is_told(tmp_path: Path) -> None:
    device = _Device(4000.0)
    device.greeting = ""
    found = run(tmp_path, device)
    assert "cannot send icmp" in found.results_of(PacketsResult)[0].echoes[0].reason


def test_a_sender_that_dies_ends_the_run_as_failed(tmp_path: Path) -> None:
    device = _Device(4000.0)

    def dies(line: str) -> str:
        raise TargetError("lost", "The connection is lost.")

    device.trial = dies
    found = run(tmp_path, device)
    assert found.status is Status.FAILED and found.errors[0].kind == "lost"
    assert "icmp: flood" in found.errors[0].message


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("9.9.9.9", "give --this-network-is-mine"),
        ("192.168.7.3", "not an address of ssh://root@board, which has 192.168.7.2"),
        ("224.0.0.1", "not the address of one machine"),
        ("255.255.255.255", "not the address of one machine"),
        ("::1", "has no IPv4 address"),
    ],
)
def test_only_the_targets_own_address_is_asked(tmp_path: Path, address: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        run(tmp_path, _Device(1.0), address=address)


def test_one_protocol_is_measured_alone(tmp_path: Path) -> None:
    found = run(tmp_path, _Device(4000.0), only=("udp",))
    assert [echo.protocol for echo in found.results_of(PacketsResult)[0].echoes] == ["udp"]
    with pytest.raises(UsageError, match="--only tcp: give icmp or udp"):
        run(tmp_path, _Device(1.0), only=("tcp",))


def test_a_sender_is_this_machine_or_an_ssh_target(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--sender serial:///dev/ttyS0: give local or ssh"):
        run(tmp_path, _Device(1.0), sender=("serial:///dev/ttyS0",))
