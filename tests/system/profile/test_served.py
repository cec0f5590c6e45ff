# SPDX-License-Identifier: Apache-2.0
"""The server of pages over TLS, whose certificate is by an authority made for it."""

import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from perfboard.bench.served import PageServer, serving
from perfboard.host.authority import Authority, make_authority

PAGES = {"a.html": b"<html>" * 30_000, "b.png": b"picture"}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"), "127.0.0.1")


@pytest.fixture
def server(authority: Authority) -> Iterator[PageServer]:
    with serving(PAGES, authority) as found:
        yield found


def load(server: PageServer, name: str, trusted: Path | None) -> bytes:
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


def lines(server: PageServer) -> list[str]:
    end = time.monotonic() + 20
    while not server.lines and time.monotonic() < end:
        time.sleep(0.01)
    return [words for _, words in server.lines]


def test_a_page_is_served_to_who_trusts_the_authority(
    server: PageServer, authority: Authority
) -> None:
    before = time.monotonic_ns()
    head, _, body = load(server, "a.html", authority.certificate).partition(b"\r\n\r\n")
    assert body == PAGES["a.html"] and b"text/html" in head
    assert lines(server) == ["@get a.html"] and server.lines[0][0] > before
    assert load(server, "c.html", authority.certificate).startswith(b"HTTP/1.0 404")
    # A browser may keep a picture, and has to ask for each page.
    assert b"Cache-Control" not in head
    assert b"Cache-Control: max-age=86400\r\n" in load(server, "b.png", authority.certificate)


def test_who_does_not_trust_it_has_a_line(server: PageServer) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        load(server, "a.html", None)
    (words,) = lines(server)
    assert words.startswith("@tls ") and "handshake" in words


def test_who_ends_before_asking_has_a_line(server: PageServer, authority: Authority) -> None:
    context = ssl.create_default_context(cafile=str(authority.certificate))
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1"),
    ):
        pass
    assert "before it asked for a page" in lines(server)[0]


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
