# SPDX-License-Identifier: Apache-2.0
"""The machine at the far end of a virtual board's network, against a small TCP of the test's own.

It is compiled with sanitizers, and with lwIP, which is fetched as Perfboard does.
"""

import random
import ssl
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from perfboard.bench.talk.ends import SenderReport
from perfboard.binaries.scope import far_end_words
from perfboard.host.programs.authority import Authority, make_authority
from perfboard.images.network import lwip_source, tls_source
from perfboard.model.progress import SilentProgress
from perfboard.model.rows import read_row

from ...native.sanitized import ROOT, compile_sanitized

FAST, LATENCY = 100_000_000, 500
OWN, FAR = bytes([2, 0, 0, 0, 0, 1]), bytes([2, 0, 0, 0, 0, 2])
OWN_IP, FAR_IP = bytes([192, 0, 2, 2]), bytes([192, 0, 2, 1])
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
# lwIP's own sources are not written for it: they read unaligned words, and shift bits out.
Found = TypeVar("Found")
PLAIN = ("-fno-sanitize=alignment,shift", "-Wno-unused-parameter")


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    own = Path(__file__).with_name("far_end_harness.c")
    words = far_end_words(lwip_source(SilentProgress()), tls_source(SilentProgress()))
    path = tmp_path_factory.mktemp("far") / "harness"
    return compile_sanitized(path, ROOT / "native" / "far_end", own, *words, *PLAIN)


def checksum(data: bytes) -> int:
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def packet(protocol: int, content: bytes, to: bytes = FAR_IP) -> bytes:
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(content), 0, 0x4000, 64, protocol, 0)
    head += OWN_IP + to
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    return FAR + OWN + b"\x08\x00" + head + content


class Board:
    """The board's card and its clock."""

    def __init__(self, talk: subprocess.Popen[str]) -> None:
        self._talk = talk
        self.now = 1_000_000_000
        self.asked: list[str] = []
        self.served: list[str] = []

    def _say(self, line: str) -> str:
        assert self._talk.stdin and self._talk.stdout
        self._talk.stdin.write(f"{line}\n")
        self._talk.stdin.flush()
        while (answer := self._talk.stdout.readline().strip()).startswith(("ask ", "get ")):
            if answer.startswith("ask "):
                self.asked.append(bytes.fromhex(answer[4:]).decode())
            else:
                self.served.append(answer[4:])
        return answer

    def send(self, frame: bytes) -> None:
        self._say(f"send {self.now} {frame.hex()}")

    def next(self) -> int | None:
        answer = self._say("next")
        return None if answer == "never" else int(answer)

    def take(self, within_s: float = 1.0) -> bytes | None:
        """The next frame, at the instant when it has come; None if there is none for so long."""
        end = self.now + round(within_s * 1e9)
        while (due := self.next()) is not None and due <= end:
            self.now = max(self.now, due)
            answer = self._say(f"take {self.now}")
            if answer != "-":
                return bytes.fromhex(answer)
        return None


class Connection:
    """A small TCP: it acknowledges all that comes in order, at once."""

    def __init__(self, board: Board, port: int, to: int = 80) -> None:
        self._board, self._port, self._to = board, port, to
        self._seq, self._ack = 1000, 0
        self.data, self.ended, self.reset = b"", False, False
        self._segment(SYN)
        self._seq += 1
        assert self.take() and self._ack

    def _segment(self, flags: int, data: bytes = b"") -> None:
        head = struct.pack(
            ">HHIIBBHHH", self._port, self._to, self._seq, self._ack, 0x50, flags, 60000, 0, 0
        )
        pseudo = OWN_IP + FAR_IP + struct.pack(">BBH", 0, 6, len(head) + len(data))
        head = head[:16] + struct.pack(">H", checksum(pseudo + head + data)) + head[18:]
        self._board.send(packet(6, head + data))

    def take(self) -> bool:
        """Whether a segment has come."""
        frame = self._board.take()
        if frame is not None:
            self.hear(frame)
        return frame is not None

    def hear(self, frame: bytes) -> None:
        """Takes the segment of a frame."""
        assert frame[:6] == OWN and frame[12:14] == b"\x08\x00" and frame[23] == 6
        length = struct.unpack(">H", frame[16:18])[0]
        segment = frame[34 : 14 + length]
        (seq,) = struct.unpack(">I", segment[4:8])
        flags, data = segment[13], segment[(segment[12] >> 4) * 4 :]
        pseudo = frame[26:34] + struct.pack(">BBH", 0, 6, len(segment))
        assert checksum(pseudo + segment) == 0
        self.reset |= bool(flags & RST)
        if flags & SYN:
            self._ack = seq + 1
            self._segment(ACK)
        elif seq == self._ack and (data or flags & FIN):
            self.data += data
            self._ack += len(data) + bool(flags & FIN)
            self.ended |= bool(flags & FIN)
            self._segment(ACK)

    def send(self, data: bytes) -> None:
        self._segment(ACK | PSH, data)
        self._seq += len(data)

    def end(self) -> None:
        self._segment(ACK | FIN)
        self._seq += 1

    def until_quiet(self) -> bytes:
        """All that comes."""
        while not self.reset and self.take():
            pass
        return self.data


@contextmanager
def board(
    harness: Path, answer: str = "", loss: float = 0.0, folders: tuple[Path, ...] = ()
) -> Iterator[Board]:
    words = [str(FAST), str(LATENCY), str(round(loss * 2**32)), answer]
    words += map(str, folders)
    with subprocess.Popen(
        [harness, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as talk:
        yield Board(talk)
        assert talk.stdin
        talk.stdin.close()
    assert talk.returncode == 0


def test_it_serves_a_file_by_http_and_the_same_to_the_nanosecond(harness: Path) -> None:
    ends = []
    for _ in range(2):
        with board(harness) as own:
            connection = Connection(own, 5000)
            connection.send(b"GET /100000 HTTP/1.0\r\nHost: x\r\n\r\n")
            head, _, body = connection.until_quiet().partition(b"\r\n\r\n")
            assert b"Content-Length: 100000" in head and len(body) == 100_000
            assert connection.ended
            ends.append(own.now)
    assert ends[0] == ends[1]


def test_it_serves_pages_says_so_and_is_the_same_to_the_nanosecond(
    harness: Path, tmp_path: Path
) -> None:
    # Longer than what TCP takes at once.
    page = bytes(range(256)) * 1500
    (tmp_path / "a.html").write_bytes(page)
    told = []
    for _ in range(2):
        with board(harness, folders=(tmp_path,)) as own:
            for number in range(2):
                connection = Connection(own, 5000 + number)
                connection.send(b"GET /a.html?n=7 HTTP/1.1\r\nHost: x\r\n")
                assert not own.served
                connection.send(b"\r\n")
                head, _, body = connection.until_quiet().partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.0 200 OK") and b"text/html" in head
                assert body == page and connection.ended
                told.append((own.served.pop(), own.now))
    assert told[0][0] == "a.html" and told[:2] == told[2:]
    # A browser may keep a picture, and has to ask for each page.
    assert b"Cache-Control" not in head
    (tmp_path / "b.png").write_bytes(b"picture")
    with board(harness, folders=(tmp_path,)) as own:
        connection = Connection(own, 5000)
        connection.send(b"GET /b.png HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"Cache-Control: max-age=86400\r\n" in connection.until_quiet()


def test_the_board_itself_asks_for_a_trial_whose_packets_it_sends_on(harness: Path) -> None:
    with board(harness) as own:
        connection = Connection(own, 5000)
        connection.send(b"TRIAL forward 9 1 50 0 1\n")
        while not connection.ended and (frame := own.take()) is not None:
            if frame[23] == 17:
                assert frame[26:34] == FAR_IP + bytes([198, 51, 100, 1])
                own.send(FAR + OWN + frame[12:])
            else:
                connection.hear(frame)
        row = read_row(connection.data.decode().strip(), SenderReport)
    assert row and row.sent == row.answered > 100 and not own.asked


def test_what_is_no_trial_ends_the_connection(harness: Path) -> None:
    with board(harness) as own:
        connection = Connection(own, 5000)
        connection.send(b"TRIAL backward 9 1 50 0 1\n")
        assert connection.until_quiet() == b"" and connection.ended


@pytest.mark.parametrize("name", [b"b.html", b"../secret", b"link.html", b"folder", b"", b"1000"])
def test_it_serves_nothing_else_where_there_are_pages(
    harness: Path, tmp_path: Path, name: bytes
) -> None:
    (tmp_path / "secret").write_text("it")
    pages = tmp_path / "pages"
    (pages / "folder").mkdir(parents=True)
    (pages / "link.html").symlink_to(tmp_path / "secret")
    with board(harness, folders=(pages,)) as own:
        connection = Connection(own, 5000)
        connection.send(b"GET /%b HTTP/1.0\r\n\r\n" % name)
        answer = connection.until_quiet()
        assert answer.startswith(b"HTTP/1.0 404 ") and answer.endswith(b"Length: 0\r\n\r\n")
        assert connection.ended and not own.served


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"), "192.0.2.1")


class Secure:
    """A client of TLS above the small TCP."""

    def __init__(self, own: Board, trusted: Authority | None, port: int = 5000) -> None:
        context = ssl.create_default_context(cafile=str(trusted.certificate) if trusted else None)
        self._come, self._goes = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._come, self._goes, server_hostname="192.0.2.1")
        self._connection, self._taken = Connection(own, port, 443), 0

    def _until(self, step: Callable[[], Found]) -> Found:
        """Does what needs bytes from the other end until it is done."""
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                self._exchange()
            finally:
                while data := self._goes.read(1400):
                    self._connection.send(data)

    def _exchange(self) -> None:
        while data := self._goes.read(1400):
            self._connection.send(data)
        alive = self._connection.take()
        self._come.write(self._connection.data[self._taken :])
        self._taken = len(self._connection.data)
        if not alive or self._connection.ended:
            self._come.write_eof()

    def shake(self) -> str | None:
        """The cipher's name."""
        self._until(self._tls.do_handshake)
        cipher = self._tls.cipher()
        return cipher[0] if cipher else None

    def ask(self, request: bytes) -> bytes:
        """All that comes for it."""
        self._until(lambda: self._tls.write(request))
        found = b""
        while more := self._until(lambda: self._tls.read(65536)):
            found += more
        return found

    def end(self) -> None:
        self._connection.end()
        self._connection.until_quiet()


def test_it_serves_pages_over_tls(harness: Path, tmp_path: Path, authority: Authority) -> None:
    page = bytes(range(256)) * 1500
    (tmp_path / "a.html").write_bytes(page)
    told = []
    for _ in range(2):
        with board(harness, folders=(tmp_path, authority.certificate.parent)) as own:
            for number in range(2):
                client = Secure(own, authority, 5000 + number)
                assert client.shake() == "ECDHE-ECDSA-AES128-GCM-SHA256"
                head, _, body = client.ask(b"GET /a.html?n=7 HTTP/1.1\r\n\r\n").partition(
                    b"\r\n\r\n"
                )
                assert head.startswith(b"HTTP/1.0 200 OK") and body == page
            told.append(own.served)
    assert told == [["a.html", "a.html"]] * 2


def test_who_does_not_trust_it_is_written_down(
    harness: Path, tmp_path: Path, authority: Authority
) -> None:
    with board(harness, folders=(tmp_path, authority.certificate.parent)) as own:
        with pytest.raises(ssl.SSLCertVerificationError):
            Secure(own, None).shake()
        while own.take() is not None:
            pass
        assert len(own.served) == 1 and "- in its handshake" in own.served[0]
        own.served.clear()
        quiet = Secure(own, authority, 5001)
        quiet.shake()
        quiet.end()
        assert "before it asked for a page" in own.served[0]


def test_what_is_no_tls_is_survived(harness: Path, tmp_path: Path, authority: Authority) -> None:
    chance = random.Random(1)
    with board(harness, folders=(tmp_path, authority.certificate.parent)) as own:
        for number in range(200):
            connection = Connection(own, 6000 + number, 443)
            connection.send(b"\x16\x03\x01" + chance.randbytes(chance.randrange(1, 600)))
            connection.end()
            connection.until_quiet()
        assert len(own.served) == 200


def test_what_is_lost_is_sent_again(harness: Path) -> None:
    with board(harness, loss=0.02) as own:
        connection = Connection(own, 5000)
        connection.send(b"GET /300000 HTTP/1.0\r\n\r\n")
        while not connection.ended:
            assert connection.until_quiet() is not None and own.now < 600 * 10**9
        assert connection.data.partition(b"\r\n\r\n")[2] == bytes(300_000)


def test_it_takes_and_echoes_a_stream(harness: Path) -> None:
    with board(harness) as own:
        sink = Connection(own, 5001)
        sink.send(b"SEND\n" + bytes(1000))
        sink.send(bytes(1000))
        sink.end()
        assert sink.until_quiet() == b"OK" and sink.ended
        echo = Connection(own, 5002)
        echo.send(b"PING\nx")
        began = own.now
        while not echo.data and echo.take():
            pass
        assert echo.data == b"x" and own.now - began < 1_000_000
        source = Connection(own, 5003)
        source.send(b"RECEIVE 20\n")
        # In that time the wire carries 250 kB, and what was to be sent then comes as well.
        sent = source.until_quiet()
        assert sent.endswith(b"           0") and 200_000 < len(sent) < 520_000


def test_what_the_board_asks_is_passed_on_while_it_stands_still(harness: Path) -> None:
    with board(harness, "an answer") as own:
        connection = Connection(own, 5000)
        connection.send(b"ASK\nfirst ")
        connection.send(b"second\n")
        connection.end()
        assert connection.until_quiet() == b"an answer\n"
        assert own.asked == ["\nfirst second\n"]


def test_a_trial_is_run_for_the_board_that_asks_and_for_none_else(harness: Path) -> None:
    with board(harness, "trial icmp 0 1 100 100000 32") as own:
        connection = Connection(own, 5000)
        connection.send(b"ASK\n")
        connection.end()
        requests, others = 0, b""
        while (frame := own.take()) is not None:
            if frame[23] != 1:
                others += frame
                continue
            assert (frame[:6], frame[26:34]) == (OWN, FAR_IP + OWN_IP) and frame[34] == 8
            assert checksum(frame[34:43]) == checksum(frame[14:34]) == 0
            requests += 1
            own.send(packet(1, b"\0\0\0\0" + frame[38:43]))
        # The question before it, and ten of 100 requests a second.
        assert requests == 11 and b"more\n" in others
    with board(harness, "trial nonsense") as own:
        connection = Connection(own, 5000)
        connection.send(b"ASK\n")
        connection.end()
        assert connection.until_quiet() == b"no trial\n"


@pytest.mark.parametrize(
    "line", [b"DELETE /\n", b"GET /x HTTP/1.0\n", b"RECEIVE 9999999\n", b"x" * 1000 + b"\n"]
)
def test_another_line_ends_the_connection(harness: Path, line: bytes) -> None:
    with board(harness) as own:
        connection = Connection(own, 5000)
        connection.send(line)
        assert connection.until_quiet() == b"" and connection.ended


def test_it_answers_arp_and_echo_at_each_address(harness: Path) -> None:
    with board(harness) as own:
        asked = bytes([203, 0, 113, 9])
        arp = bytes([0, 1, 8, 0, 6, 4, 0, 1]) + OWN + OWN_IP + bytes(6) + asked
        own.send(b"\xff" * 6 + OWN + b"\x08\x06" + arp)
        frame = own.take()
        assert frame is not None and frame[20:32] == b"\0\2" + FAR + asked
        for protocol, content in (
            (1, b"\x08\x00\xf7\xff\x00\x00\x00\x00"),
            (17, struct.pack(">HHHH", 99, 7, 9, 0) + b"x"),
        ):
            own.send(packet(protocol, content, asked))
            frame = own.take()
            assert frame is not None and frame[23] == protocol and frame[26:34] == asked + OWN_IP


def test_whatever_the_board_sends_is_survived(harness: Path) -> None:
    chance = random.Random(1)
    with board(harness) as own:
        frames = [packet(6, bytes(20)), packet(17, bytes(8)), packet(1, bytes(8))]
        for _ in range(3000):
            frame = bytearray(chance.choice(frames) + chance.randbytes(chance.randrange(64)))
            for _ in range(chance.randrange(6)):
                frame[chance.randrange(len(frame))] = chance.randrange(256)
            own.send(bytes(frame[: chance.randrange(len(frame) + 1)]))
            own.now += 1000
        while own.take() is not None:
            pass
        assert Connection(own, 5000)
