# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe tcp-serve` and `tcp`, with sanitizers, on loopback."""

import socket
import subprocess
import urllib.request
from collections.abc import Iterator

import pytest

from perfboard.bench.talk.ends import PortRow
from perfboard.measures.network.tcp import AskedRow, MovedRow
from perfboard.model.rows import RefusedRow, read_row, read_rows

from .compiler import compile_commands

_PATIENCE_S = 2


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tcp") / "tcp"
    sources = ("commands/tcp.c", "commands/tcp_serve.c")
    return compile_commands(path, f"-DPATIENCE_S={_PATIENCE_S}", *sources)


@pytest.fixture
def port(probe: str) -> Iterator[int]:
    process = subprocess.Popen(
        [probe, "tcp-serve", "127.0.0.1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin and process.stdout
    try:
        row = read_row(process.stdout.readline(), PortRow)
        assert row
        yield row.port
        process.stdin.close()
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()


def asked(probe: str, port: int, lines: str) -> str:
    words = [probe, "tcp", "127.0.0.1", str(port)]
    return subprocess.run(words, input=lines, capture_output=True, text=True, check=True).stdout


def reasons(output: str) -> list[str]:
    return [row.why for row in read_rows(output, RefusedRow) if row.what == "tcp"]


def test_each_transfer_has_its_bytes_and_its_time(probe: str, port: int) -> None:
    found = asked(probe, port, "send 1 100\nreceive 1 100\nsend 4 100\nreceive 4 100\n")
    rows = read_rows(found, MovedRow)
    assert len(rows) == 4
    assert all(row.bytes > 12 and 100_000 <= row.took_us < 20_000_000 for row in rows)


def test_a_file_is_whole_and_any_client_may_get_it(probe: str, port: int) -> None:
    (row,) = read_rows(asked(probe, port, "get 1 1000000\n"), MovedRow)
    # The head is counted as well.
    assert 1_000_000 < row.bytes < 1_000_200
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/4321", timeout=20) as answer:
        assert answer.status == 200 and len(answer.read()) == 4321


def test_a_byte_is_answered_by_a_byte(probe: str, port: int) -> None:
    (row,) = read_rows(asked(probe, port, "ping 1 100\n"), AskedRow)
    assert 0 < row.middle_ns <= row.late_ns <= row.longest_ns


@pytest.mark.parametrize(
    "request_line", [b"", b"x\n", b"GET /\r\n\r\n", b"RECEIVE x\n", b"A" * 999]
)
def test_a_strange_request_is_closed_and_others_are_served(
    probe: str, port: int, request_line: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", port), 20) as other:
        other.sendall(request_line)
        other.shutdown(socket.SHUT_WR)
        assert other.recv(10) == b""
    assert read_rows(asked(probe, port, "ping 1 10\n"), AskedRow)


@pytest.mark.parametrize("line", ["send 1 100", "receive 2 100", "get 1 1000", "ping 1 10"])
def test_a_server_that_closes_early_is_a_failure(probe: str, line: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as early:
        process = subprocess.Popen(
            [probe, "tcp", "127.0.0.1", str(early.getsockname()[1])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin and process.stdout
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        for _ in range(2 if " 2 " in line else 1):
            early.settimeout(20)
            connection, _ = early.accept()
            connection.recv(4)
            connection.close()
        (why,) = reasons(process.stdout.readline())
        assert why in ("Connection reset by peer", "Broken pipe")
        process.stdin.close()
        process.wait(20)


def test_nobody_there_is_a_failure(probe: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        output = asked(probe, free.getsockname()[1], "send 1 10\nping 1 10\n")
        assert reasons(output) == ["Connection refused"] * 2


def test_no_answer_is_said_to_be_none(probe: str) -> None:
    # The kernel takes the first connection, and drops all that would come after it.
    with socket.create_server(("127.0.0.1", 0), backlog=0) as mute:
        port = mute.getsockname()[1]
        words = f"no answer for {_PATIENCE_S} s; is there a firewall?"
        assert reasons(asked(probe, port, "ping 1 10\nping 1 10\nsend 1 10\n")) == [words] * 3


@pytest.mark.parametrize(
    "words",
    [["tcp"], ["tcp", "127.0.0.1", "0"], ["tcp", "x", "1"], ["tcp-serve"], ["tcp-serve", "x"]],
)
def test_wrong_words_are_told(probe: str, words: list[str]) -> None:
    done = subprocess.run([probe, *words], input="", capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr


@pytest.mark.parametrize("line", ["", "send", "send 1", "send 0 1", "send 17 1", "push 1 1"])
def test_a_wrong_line_is_told(probe: str, line: str) -> None:
    words = [probe, "tcp", "127.0.0.1", "9"]
    done = subprocess.run(words, input=f"{line}\n", capture_output=True, text=True)
    assert done.returncode == 2 and "wants send" in done.stderr
