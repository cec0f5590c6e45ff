# SPDX-License-Identifier: Apache-2.0
"""A labgrid on loopback: its coordinator, its exporter, and a place that is acquired."""

import json
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from perfboard.host.programs.python import environment_python
from perfboard.model.progress import SilentProgress
from perfboard.targets.labgrid.place import REQUIREMENT

from ..conftest import Perfboard, until
from .ssh_boards import answers, free_port

PLACE = "desk"


class Lab:
    """A coordinator with one place, to which the test's command speaks."""

    def __init__(self, python: Path, port: int, folder: Path) -> None:
        self.python = python
        self.address = f"127.0.0.1:{port}"
        self.folder = folder

    def client(self, *words: str) -> str:
        command = [str(self.python), "-m", "labgrid.remote.client", "-x", self.address, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def acquire(self) -> None:
        self.client("-p", PLACE, "acquire")

    def release(self) -> None:
        self.client("-p", PLACE, "release")


@contextmanager
def _running(words: Sequence[str], folder: Path) -> Iterator[None]:
    with (folder / "labgrid.log").open("a") as log:
        process = subprocess.Popen(list(words), stdout=log, stderr=log, cwd=folder)
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def labgrid(
    perfboard: Perfboard, folder: Path, resources: Mapping[str, Mapping[str, Any]]
) -> Iterator[Lab]:
    """A place with these resources, each by its class, acquired by this user."""
    python = environment_python(REQUIREMENT, SilentProgress())
    port = free_port()
    lab = Lab(python, port, folder)
    # JSON is YAML.
    (folder / "exporter.yaml").write_text(json.dumps({PLACE: resources}))
    perfboard.environment["LG_COORDINATOR"] = lab.address
    module = [str(python), "-B", "-m"]
    with ExitStack() as stack:
        words = [*module, "labgrid.remote.coordinator", "-l", lab.address]
        stack.enter_context(_running(words, folder))
        until(lambda: answers(port))
        words = [*module, "labgrid.remote.exporter", "-c", lab.address, "-n", "here"]
        words += ["--hostname", "127.0.0.1", str(folder / "exporter.yaml")]
        stack.enter_context(_running(words, folder))
        lab.client("-p", PLACE, "create")
        lab.client("-p", PLACE, "add-match", f"here/{PLACE}/*")
        until(lambda: all(f"/{name}" in lab.client("resources") for name in resources))
        lab.acquire()
        yield lab


@contextmanager
def power_switch(switched: Callable[[bool], None]) -> Iterator[dict[str, Any]]:
    """A switch on the network, as labgrid's model "simplerest" has it; yields its resource."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            switched(self.path.endswith("/1"))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        host = f"http://127.0.0.1:{server.server_port}/relay/{{index}}/{{value}}"
        yield {"NetworkPowerPort": {"model": "simplerest", "host": host, "index": 0}}
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
