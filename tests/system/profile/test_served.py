# SPDX-License-Identifier: Apache-2.0
"""Pages over TLS from the watcher, whose certificate is by an authority made for it.

It is compiled with sanitizers, and with mbedTLS, which is fetched as Perfboard does.
"""

import platform
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from perfboard.binaries.probe import architecture_of
from perfboard.binaries.tls import secure_watcher, tls_words
from perfboard.host.programs.authority import Authority, make_authority
from perfboard.images.network import tls_source
from perfboard.instruments.scope import GetRow, TlsRow
from perfboard.model.progress import SilentProgress
from perfboard.model.rows import read_rows
from tests.support.runs import result_of

from ...native.sanitized import ROOT, compile_sanitized
from ..conftest import Here, until
from ..targets.ssh_boards import sshd
from .test_applications import MISSING, PAGE, PROFILE

PAGES = {"a.html": b"<html>" * 30_000, "b.png": b"picture", "empty.html": b""}
DISPLAY = ROOT / "native" / "display"
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"needs Debian's {', '.join(MISSING)}")


@pytest.fixture(scope="module")
def watcher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = ("-I..", "../rows/row.c", *sorted(path.name for path in DISPLAY.glob("*.c")))
    words = ("-D_GNU_SOURCE", *sources, *tls_words(tls_source(SilentProgress())))
    return compile_sanitized(tmp_path_factory.mktemp("watcher") / "watch", DISPLAY, *words)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"), "127.0.0.1")


@dataclass
class Server:
    """A watcher that serves `PAGES`, and what it has said of them so far."""

    port: int
    said: Path

    def rows(self) -> list[GetRow | TlsRow]:
        return read_rows(self.said.read_text(), GetRow, TlsRow)


def listener(watcher: int) -> int | None:
    """The port of a child that listens on loopback."""
    with suppress(psutil.NoSuchProcess):
        for child in psutil.Process(watcher).children(recursive=True):
            for one in child.net_connections():
                if one.status == psutil.CONN_LISTEN and one.laddr.ip == "127.0.0.1":
                    port: int = one.laddr.port
                    return port
    return None


@pytest.fixture
def server(watcher: Path, authority: Authority, tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "pages").mkdir()
    for name, page in PAGES.items():
        (tmp_path / "pages" / name).write_bytes(page)
    said = tmp_path / "said"
    plan = f"serve pages {authority.certificate.parent}\n"
    with (
        said.open("w") as output,
        subprocess.Popen(
            [watcher, "640", "480"],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        assert process.stdin
        process.stdin.write(plan)
        process.stdin.flush()
        yield Server(until(lambda: listener(process.pid)), said)
        process.communicate(timeout=60)
    assert process.returncode == 0, said.read_text()


def load(server: Server, name: str, trusted: Path | None) -> bytes:
    context = ssl.create_default_context(cafile=str(trusted) if trusted else None)
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain,
        # TLS has an end of its own, or this is an error.
        context.wrap_socket(
            plain, server_hostname="127.0.0.1", suppress_ragged_eofs=False
        ) as secure,
    ):
        secure.sendall(f"GET /{name}?n=7 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        found = b""
        while more := secure.recv(65536):
            found += more
        # TCP ends as well, before this side's does.
        assert socket.socket.recv(secure, 1) == b""
        return found


def test_pages_are_served_to_who_trusts_the_authority(server: Server, authority: Authority) -> None:
    # One that says nothing holds up nobody.
    with socket.create_connection(("127.0.0.1", server.port), timeout=20):
        head, _, body = load(server, "a.html", authority.certificate).partition(b"\r\n\r\n")
    assert body == PAGES["a.html"] and b"text/html" in head
    until(lambda: GetRow(name="a.html") in server.rows())
    assert load(server, "c.html", authority.certificate).startswith(b"HTTP/1.0 404")
    # A browser may keep a picture, and has to ask for each page.
    assert b"Cache-Control" not in head
    assert b"Cache-Control: max-age=86400\r\n" in load(server, "b.png", authority.certificate)
    assert load(server, "empty.html", authority.certificate).endswith(b"\r\n\r\n")
    sent = [row.name for row in server.rows() if isinstance(row, GetRow)]
    assert sent == ["a.html", "b.png", "empty.html"]


def test_who_does_not_trust_it_has_a_line(server: Server) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        load(server, "a.html", None)
    assert until(server.rows) == [TlsRow(why="in its handshake (alert 48, unknown CA)")]


def test_its_answer_to_a_greeting_comes_whole(server: Server, authority: Authority) -> None:
    """Who refuses the certificate before the rest is sent would end the server, not tell it."""
    context = ssl.create_default_context(cafile=str(authority.certificate))
    came, goes = ssl.MemoryBIO(), ssl.MemoryBIO()
    secure = context.wrap_bio(came, goes, server_hostname="127.0.0.1")
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain:
        for _ in range(2):
            with pytest.raises(ssl.SSLWantReadError):
                secure.do_handshake()
            assert goes.pending
            plain.sendall(goes.read())
            came.write(plain.recv(65536))
        secure.do_handshake()


def test_who_ends_before_asking_has_a_line(server: Server, authority: Authority) -> None:
    context = ssl.create_default_context(cafile=str(authority.certificate))
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1"),
    ):
        pass
    why = "after its handshake, before it asked for a page (nothing more came)"
    assert until(server.rows) == [TlsRow(why=why)]


def test_who_ends_amid_a_page_has_a_line(server: Server, authority: Authority) -> None:
    context = ssl.create_default_context(cafile=str(authority.certificate))
    # What the server's side may hold of a page grows as it sends, up to a bound of the machine's.
    held = int(Path("/proc/sys/net/ipv4/tcp_wmem").read_text().split()[-1])
    (server.said.parent / "pages" / "long.html").write_bytes(bytes(2 * held))
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.connect(("127.0.0.1", server.port))
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
            secure.sendall(b"GET /long.html HTTP/1.1\r\n\r\n")
            assert secure.recv(1) == b"H"
    (row,) = until(server.rows)
    assert isinstance(row, TlsRow) and row.why.startswith("before it had the page (")


@pytest.mark.parametrize("said", [b"", b"\x16\x03", b"GET / HTTP/1.0\r\n\r\n", b"\xff" * 9000])
def test_what_is_no_tls_is_survived(server: Server, authority: Authority, said: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain:
        plain.sendall(said)
    (row, *_) = until(server.rows)
    assert isinstance(row, TlsRow) and row.why.startswith("in its handshake (")
    assert PAGES["b.png"] in load(server, "b.png", authority.certificate)


def test_openssl_finds_the_authority_by_its_name(authority: Authority, tmp_path: Path) -> None:
    (tmp_path / f"{authority.name}.0").write_bytes(authority.certificate.read_bytes())
    folders = ("-no-CAfile", "-no-CAstore", "-CApath", tmp_path)
    checked = subprocess.run(
        ["openssl", "verify", *folders, "-attime", "1262304000", authority.server_certificate],
        capture_output=True,
        text=True,
        check=False,
    )
    # At the beginning of 2010, when virtual boards begin.
    assert checked.stdout.endswith(": OK\n"), checked.stderr


def test_a_browser_of_a_board_over_ssh_loads_a_page_over_tls(here: Here) -> None:
    tls = tls_source(SilentProgress())
    secure_watcher(architecture_of(platform.machine()), tls, SilentProgress())
    path = here.place.parent / "box.toml"
    page = PAGE.replace('program = "dillo"', 'program = "dillo", page = "index", over = "https"')
    path.write_text(PROFILE.partition("[[key_issue]]")[0] + page)
    with sshd(here):
        run = here.json("choose", str(path), "--target", "ssh://board")
        assert result_of(run, "profile")["outcome"] == "pass"
        until(here.left_clean)
    loads = {m["labels"]["cache"]: m for m in run["metrics"] if m["name"] == "page.load.time"}
    assert loads.keys() == {"first", "repeated"}
    assert all(len(load["samples"]) >= 9 for load in loads.values())
