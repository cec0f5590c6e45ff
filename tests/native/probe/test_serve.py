# SPDX-License-Identifier: Apache-2.0
"""The probe's server, driven through pipes and a terminal; its probes hang, flood and crash."""

import json
import os
import pty
import select
import signal
import subprocess
import termios
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.probes.frames import (
    ACCEPTED,
    END,
    LINE,
    REQUEST,
    UNREADABLE,
    Decoder,
    Frame,
    encode,
    join,
)

from .compiler import compile_probe

# Far longer than anything here takes: a test that waits for it fails.
PATIENCE_S = 30
UNREADABLE_FRAME = Frame(0, 0, UNREADABLE, "")


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("serve") / "perfboard-probe"
    compile_probe(program, "other_probes.c")
    return program


class Server:
    """One `serve`, and the frames that come from it."""

    def __init__(self, process: subprocess.Popen[bytes], reader: int, writer: int) -> None:
        self.process = process
        self.writer = writer
        self._reader = reader
        self._decoder = Decoder()
        self._frames: list[Frame] = []

    def write(self, data: bytes) -> None:
        os.write(self.writer, data)

    def ask(self, id: int, payload: str) -> None:
        self.write(encode(Frame(id, 0, REQUEST, payload)))

    def frame(self) -> Frame:
        deadline = time.monotonic() + PATIENCE_S
        while not self._frames:
            left = deadline - time.monotonic()
            assert left > 0 and select.select([self._reader], [], [], left)[0], "no frame came"
            data = os.read(self._reader, 4096)
            assert data, "the server ended"
            self._frames += [frame for _, frame in self._decoder.feed(data) if frame]
        return self._frames.pop(0)

    def answer(self, id: int) -> tuple[list[str], str]:
        """The lines of a request that is accepted, and the end."""
        assert self.frame() == Frame(id, 0, ACCEPTED, "run")
        return self.rest(id)

    def rest(self, id: int) -> tuple[list[str], str]:
        """The same of one whose acceptance was read."""
        parts: list[Frame] = []
        while (frame := self.frame()).kind != END:
            assert (frame.id, frame.number) == (id, len(parts) + 1)
            parts.append(frame)
        return join(parts), frame.payload

    def run(self, id: int, request: str) -> tuple[list[str], str]:
        self.ask(id, f"run {request}")
        return self.answer(id)

    def ends(self) -> bool:
        return self.process.wait(PATIENCE_S) == 0


Start = Callable[..., Server]


@pytest.fixture
def start(program: Path) -> Iterator[Start]:
    """Starts a server with some options, and takes its greeting."""
    with ExitStack() as stack:
        yield lambda *options: stack.enter_context(started(program, *options))


@contextmanager
def started(program: Path, *options: str) -> Iterator[Server]:
    with subprocess.Popen(
        [program, "serve", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        server = Server(process, process.stdout.fileno(), process.stdin.fileno())
        greeting = server.frame()
        assert (greeting.id, greeting.number, greeting.kind) == (0, 0, ACCEPTED)
        yield server
        process.stdin.close()
        process.wait(PATIENCE_S)


def gone(pid: int) -> bool:
    """Whether the process has ended; its parent may not have asked how."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "ZX"


def wait_until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def children_of(pid: int) -> list[int]:
    """All that descend from a process."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [below for child in map(int, listed) for below in (child, *children_of(child))]


def processes_in(lines: list[str]) -> list[int]:
    """The processes of which a test's probe says that it has them."""
    return [json.loads(line)["pid"] for line in lines if line.startswith('{"pid"')]


def hanging(server: Server) -> list[int]:
    """Starts the probe that hangs; its process, child and grandchild."""
    server.ask(1, "run 60 test.hang")
    assert server.frame().kind == ACCEPTED
    wait_until(lambda: len(children_of(server.process.pid)) == 3)
    return children_of(server.process.pid)


def test_the_greeting_has_the_checksum_of_the_programs_file(start: Start, program: Path) -> None:
    server = start()
    server.ask(0, "again 0")
    said = json.loads(server.frame().payload)
    assert int(said["crc"], 16) == zlib.crc32(program.read_bytes())
    assert said["hello"] == 1
    assert said["pid"] == server.process.pid


def test_a_probe_prints_the_same_as_when_run_by_hand(start: Start, program: Path) -> None:
    by_hand = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout
    assert start().run(1, "5 list") == (by_hand.splitlines(), "exit 0")


def test_lines_of_any_length_arrive_as_printable_text(start: Start) -> None:
    lines, end = start().run(1, "5 test.lines --seconds 1")
    assert end == "exit 0"
    lengths = [0, 1, 399, 400, 401, 800, 5000]
    expected = [chr(ord("a") + i) * length for i, length in enumerate(lengths)]
    assert lines[1:-1] == [*expected, "???~7.1:00000000:=x"]


def test_a_frame_is_sent_again_when_asked(start: Start) -> None:
    server = start()
    lines, _ = server.run(7, "5 test.lines")
    server.ask(7, "again 2")
    assert server.frame() == Frame(7, 2, LINE, lines[1])
    server.ask(7, "again 0")
    assert server.frame() == Frame(7, 0, ACCEPTED, "run")
    # Beyond the last: that one tells how many there are.
    server.ask(7, "again 999999999")
    assert server.frame().kind == END
    server.ask(6, "again 2")
    assert server.frame() == UNREADABLE_FRAME


def test_a_request_that_comes_twice_runs_once(start: Start) -> None:
    server = start()
    for _ in range(2):
        server.ask(1, "run 60 test.sleep --seconds 1")
        assert server.frame() == Frame(1, 0, ACCEPTED, "run")
    first = server.rest(1)
    assert len(processes_in(first[0])) == 1
    server.ask(1, "run 60 test.sleep --seconds 1")
    assert server.answer(1) == first


def test_a_new_request_ends_the_one_before(start: Start) -> None:
    server = start()
    processes = hanging(server)
    assert server.run(2, "5 list")[1] == "exit 0"
    wait_until(lambda: all(map(gone, processes)))


def test_a_garbled_request_is_asked_for_again(start: Start) -> None:
    server = start()
    line = encode(Frame(1, 0, REQUEST, "run 5 list"))
    server.write(line.replace(b"list", b"lost"))
    assert server.frame() == UNREADABLE_FRAME
    server.write(b"# a prompt ~1.0:" + line.replace(b"\n", b"\r\n"))
    assert server.answer(1)[1] == "exit 0"


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "run",
        "run 5",
        "run x list",
        "run -1 list",
        "run nan list",
        "run 1e9 list",
        "again",
        "again x",
        "again 2",
        "stop",
        "run 5 " + "a " * 60,
    ],
)
def test_a_request_without_sense_is_told_so(start: Start, payload: str) -> None:
    server = start()
    server.ask(1, payload)
    assert server.frame() == UNREADABLE_FRAME


@pytest.mark.parametrize(
    "name", ["nothing", "serve", "/bin/sh", "--help", "test.lines;id", "list/"]
)
def test_nothing_but_probes_is_run(start: Start, name: str) -> None:
    server = start()
    assert server.run(1, f"5 {name}") == (['{"refused":"there is no such probe"}'], "exit 2")
    assert server.run(2, "5 test.sleep --help 1")[1] == "exit 2"


def test_what_takes_too_long_ends_with_its_children(start: Start) -> None:
    server = start()
    lines, end = server.run(1, "0.5 test.hang")
    assert end == "timeout"
    processes = processes_in(lines)
    assert len(processes) == 3
    wait_until(lambda: all(map(gone, processes)))


def test_what_a_probe_leaves_behind_ends_with_it(start: Start) -> None:
    lines, end = start().run(1, "60 test.leave")
    assert end == "exit 0"
    (left,) = processes_in(lines)
    wait_until(lambda: gone(left))


def test_too_much_output_ends_the_probe(start: Start) -> None:
    lines, end = start().run(1, "60 test.flood")
    assert end == "signal 9"
    assert sum(map(len, lines)) < 256 << 10
    notes = [json.loads(line) for line in lines]
    assert "printed more" in notes[-1]["refused"]


def test_a_crash_is_told_with_its_last_words(start: Start) -> None:
    lines, end = start().run(1, "60 test.crash")
    assert end == "signal 6"
    notes = [json.loads(line)["note"] for line in lines if "note" in line]
    assert notes == ["before", 'it "broke" \\ here', "and here"]


def test_a_line_that_is_too_long_is_dropped_whole(start: Start) -> None:
    server = start()
    server.write(b"x" * 5000 + encode(Frame(1, 0, REQUEST, "run 5 test.lines")))
    assert server.run(2, "5 list")[1] == "exit 0"
    server.write(b"~" * 5000 + b"\n")
    assert server.frame() == UNREADABLE_FRAME


def test_all_ends_with_the_servers_input(start: Start) -> None:
    server = start()
    processes = hanging(server)
    assert server.process.stdin
    server.process.stdin.close()
    assert server.ends()
    wait_until(lambda: all(map(gone, processes)))


def test_all_ends_when_no_one_reads_the_output(start: Start) -> None:
    server = start()
    processes = hanging(server)
    assert server.process.stdout
    server.process.stdout.close()
    assert server.ends()
    wait_until(lambda: all(map(gone, processes)))


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_all_ends_at_a_signal(start: Start, number: signal.Signals) -> None:
    server = start()
    processes = hanging(server)
    server.process.send_signal(number)
    server.process.wait(PATIENCE_S)
    wait_until(lambda: all(map(gone, processes)))


def test_goodbye_ends_all(start: Start) -> None:
    server = start()
    processes = hanging(server)
    server.ask(2, "bye")
    assert server.frame() == Frame(2, 0, ACCEPTED, "bye")
    assert server.ends()
    wait_until(lambda: all(map(gone, processes)))


def test_a_server_that_is_left_alone_ends_but_not_while_it_works(start: Start) -> None:
    server = start("--idle", "0.3")
    assert server.run(1, "60 test.sleep --seconds 1")[1] == "exit 0"
    assert server.ends()


@pytest.mark.parametrize("options", [["--idle"], ["--idle", "x"], ["--idle", "-1"], ["5"]])
def test_wrong_options_are_refused(program: Path, options: list[str]) -> None:
    done = subprocess.run([program, "serve", *options], capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"usage:")


@pytest.mark.parametrize("by", ["goodbye", "signal"])
def test_a_terminal_does_not_echo_meanwhile(program: Path, by: str) -> None:
    host, target = pty.openpty()
    before = termios.tcgetattr(target)
    with subprocess.Popen([program, "serve"], stdin=target, stdout=target) as process:
        server = Server(process, host, host)
        assert server.frame().kind == ACCEPTED
        assert not termios.tcgetattr(target)[3] & termios.ECHO
        # Three lines come: the request is not among them.
        assert server.run(1, "5 nothing")[1] == "exit 2"
        if by == "goodbye":
            server.ask(2, "bye")
        else:
            process.terminate()
        assert server.ends()
    assert termios.tcgetattr(target) == before
    os.close(host)
    os.close(target)


@pytest.fixture(scope="module")
def lasting(program: Path) -> Iterator[Server]:
    """A server that outlives what many examples do to it."""
    with started(program) as server:
        yield server
        server.ask(10**8, "bye")
        assert server.ends()


def noise() -> st.SearchStrategy[bytes]:
    requests = st.text("runlist again 0123456789.-~", max_size=400)
    numbers = st.integers(0, 10**9 - 1)
    frames = st.builds(Frame, numbers, numbers, st.sampled_from("?*+=.!"), requests).map(encode)
    return st.lists(st.one_of(st.binary(max_size=600), frames), max_size=8).map(b"".join)


@given(noise())
def test_random_bytes_do_no_harm(lasting: Server, data: bytes) -> None:
    lasting.write(data + b"\n")
    lasting.ask(0, "again 0")
    while not lasting.frame().payload.startswith('{"hello"'):
        pass
