# SPDX-License-Identifier: Apache-2.0
"""The lines of a session's server among those of the watcher; and a server of pages over TLS."""

import re
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from socket import SHUT_WR
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from time import monotonic_ns

from perfboard.host.authority import Authority
from perfboard.model.text import printable

_BEGAN = re.compile(r"@task \S+ \w+ began=(\d{1,19}) .*")
_ASKED = re.compile(rb"GET /([a-z0-9.]{1,63})")
_KINDS = {
    "html": "text/html; charset=utf-8",
    # Without it most browsers ask for a picture again, and one twice in one load.
    "png": "image/png\r\nCache-Control: max-age=86400",
}
_MOST_HEAD = 8192
_PATIENCE_S = 60.0


def with_served(output: str, sent: Iterable[tuple[int, str]]) -> str:
    """The watcher's output with the server's lines, each before that of the task of its time.

    `sent` are lines and when they were, on the clock of the tasks' `began`.
    """
    lines = output.splitlines()
    begins = [
        (int(match[1]), number)
        for number, line in enumerate(lines)
        if (match := _BEGAN.fullmatch(line)) and int(match[1])
    ]
    before: dict[int, list[str]] = {}
    for ns, words in sorted(sent):
        # A line from before the first task belongs to no task.
        number = max((number for began, number in begins if began <= ns), default=None)
        if number is not None:
            before.setdefault(number, []).append(words)
    whole = [each for n, line in enumerate(lines) for each in (*before.get(n, ()), line)]
    return "".join(f"{line}\n" for line in whole)


@dataclass
class PageServer:
    """A server of pages at 127.0.0.1: its port, and its lines for `with_served` so far."""

    port: int
    lines: list[tuple[int, str]] = field(default_factory=list)


@contextmanager
def serving(pages: Mapping[str, bytes], authority: Authority) -> Iterator[PageServer]:
    """Serves the pages by HTTP/1.0 over TLS, each connection in a thread of its own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.server_certificate, authority.server_key)
    sent: list[tuple[int, str]] = []

    class Connection(BaseRequestHandler):
        def handle(self) -> None:
            self.request.settimeout(_PATIENCE_S)
            stage = "in its handshake"
            try:
                with context.wrap_socket(self.request, server_side=True) as secure:
                    stage = "after its handshake, before it asked for a page"
                    name = _asked(secure)
                    stage = "before it had the page"
                    secure.sendall(_answer(name, pages.get(name)))
                    if name in pages:
                        sent.append((monotonic_ns(), f"@get {name}"))
                    _end(secure)
            except OSError as error:
                why = getattr(error, "reason", None) or error.strerror or "nothing more came"
                words = f"{stage} ({why})"
                sent.append((monotonic_ns(), f"@tls {printable(words)}"))

    class Server(ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Connection) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1})
        thread.start()
        try:
            yield PageServer(server.server_address[1], sent)
        finally:
            server.shutdown()
            thread.join()


def _end(connection: ssl.SSLSocket) -> None:
    """Ends TLS and then TCP, and waits for the other side's end.

    Without the first, Links 2 takes the page for a torn one; without the second, it draws it late.
    """
    with suppress(OSError):
        connection.settimeout(0)
        # Its own word is sent; the other side's is not there yet.
        connection.unwrap()
    with suppress(OSError):
        connection.shutdown(SHUT_WR)
        connection.settimeout(_PATIENCE_S)
        while connection.recv(4096):
            pass


def _asked(connection: ssl.SSLSocket) -> str:
    """The name of the page that the request's head asks for. Raises OSError without one."""
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _MOST_HEAD:
        more = connection.recv(4096)
        if not more:
            raise OSError(0, "nothing more came")
        head += more
    match = _ASKED.match(head)
    return match[1].decode() if match else ""


def _answer(name: str, page: bytes | None) -> bytes:
    if page is None:
        return b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    kind = _KINDS.get(name.rpartition(".")[2], "application/octet-stream")
    head = f"HTTP/1.0 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(page)}\r\n\r\n"
    return head.encode() + page
