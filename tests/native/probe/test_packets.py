# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe echo`, `packets` and `queues`, with sanitizers, on loopback."""

import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from perfboard.analysis.packets.counters import read_counters
from perfboard.bench.talk.ends import EchoedRow, PortRow, ReadyRow, SenderReport
from perfboard.model.rows import RefusedRow, read_row, read_rows

from .compiler import compile_commands


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("packets") / "packets"
    names = ("echo", "packets", "queues", "time")
    return compile_commands(path, *(f"commands/{name}.c" for name in names))


@contextmanager
def echo(probe: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """An echo program, and its port."""
    process = subprocess.Popen(
        [probe, "echo", "127.0.0.1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin and process.stdout
    try:
        row = read_row(process.stdout.readline(), PortRow)
        assert row
        yield row.port, process
        process.stdin.close()
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()


def trials(probe: str, words: Sequence[str], lines: str) -> list[SenderReport]:
    done = subprocess.run(
        [probe, "packets", *words], input=lines, capture_output=True, text=True, check=True
    )
    (ready,) = read_rows(done.stdout, ReadyRow)
    assert ready.mtu >= 1280
    return read_rows(done.stdout, SenderReport)


def test_each_udp_request_is_answered_once(probe: str) -> None:
    with echo(probe) as (port, process):
        lines = "1 100 0 8\n1400 100 0 4\n1 200 100000 100000\n"
        lines = lines.replace(" 100000\n", " 1000\n")
        found = trials(probe, ["udp", "127.0.0.1", str(port)], lines)
        assert [row.sent for row in found] == [row.answered for row in found]
        flooded, larger, paced = found
        assert flooded.sent > 8 and larger.sent > 4
        # 100 requests a second for 0.2 s.
        assert paced.sent == 20 and paced.took_us >= 200_000
        assert process.stdin and process.stdout
        process.stdin.write("\n")
        process.stdin.flush()
        echoed = read_row(process.stdout.readline(), EchoedRow)
        # And one question before each trial.
        assert echoed and echoed.datagrams == sum(row.sent for row in found) + 3


def test_icmp_is_answered_by_the_kernel(probe: str) -> None:
    done = subprocess.run(
        [probe, "packets", "icmp", "127.0.0.1", "0"], input="", capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"neither raw sockets nor ping's are allowed: {done.stderr}")
    for row in trials(probe, ["icmp", "127.0.0.1", "0"], "1 100 0 4\n17 100 200000 100\n"):
        assert row.sent == row.answered > 4 and row.error == 0


def test_a_silent_port_is_said_and_not_measured(probe: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind(("127.0.0.1", 0))
        words = ["packets", "udp", "127.0.0.1", str(mute.getsockname()[1])]
        done = subprocess.run([probe, *words], input="1 50 0 4\n", capture_output=True, text=True)
    (refused,) = read_rows(done.stdout, SenderReport, RefusedRow)
    assert done.returncode == 0 and isinstance(refused, RefusedRow)


def test_a_trial_ends_when_the_sender_is_late(probe: str) -> None:
    with echo(probe) as (port, _):
        # No sender makes a request each nanosecond.
        (row,) = trials(probe, ["udp", "127.0.0.1", str(port)], "1 10000 1000000000000 1\n")
    assert row.burst > 1 and row.took_us < 5_000_000


def test_ports_of_other_services_get_no_answer(probe: str) -> None:
    with echo(probe) as (port, _), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as low:
        try:
            low.bind(("127.0.0.1", 1007))
        except OSError:
            pytest.skip("a port below 1024 is not allowed here, or taken")
        low.settimeout(0.3)
        low.sendto(b"x", ("127.0.0.1", port))
        with pytest.raises(TimeoutError):
            low.recv(10)


@pytest.mark.parametrize(
    "words",
    [
        ["packets"],
        ["packets", "tcp", "127.0.0.1", "7"],
        ["packets", "udp", "localhost", "7"],
        ["packets", "udp", "127.0.0.1", "65536"],
        ["packets", "udp", "127.0.0.1", ""],
        ["echo"],
        ["echo", "::1"],
    ],
)
def test_wrong_words_are_told(probe: str, words: list[str]) -> None:
    done = subprocess.run([probe, *words], input="", capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr


@pytest.mark.parametrize(
    "line",
    ["", "1", "1 2 3", "0 1 1 1", "9001 1 1 1", "1 0 1 1", "1 1 1 0", "1 1 1 1 1", "1 1 1 x"],
)
def test_a_wrong_trial_is_told(probe: str, line: str) -> None:
    words = [probe, "packets", "udp", "127.0.0.1", "9"]
    done = subprocess.run(words, input=f"{line}\n", capture_output=True, text=True)
    assert done.returncode == 2 and "wants PAYLOAD" in done.stderr


def test_an_address_that_is_not_here_cannot_echo(probe: str) -> None:
    done = subprocess.run([probe, "echo", "192.0.2.1"], input="", capture_output=True, text=True)
    assert done.returncode == 1 and "192.0.2.1: " in done.stderr


def test_queues_are_printed_with_their_drops(probe: str) -> None:
    done = subprocess.run([probe, "queues"], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        assert read_counters([("", [line])]).counts
