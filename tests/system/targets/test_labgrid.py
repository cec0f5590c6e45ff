# SPDX-License-Identifier: Apache-2.0
"""A place of a real labgrid: a virtual board's console and power, and ssh to this machine."""

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from perfboard.boards.loader import LoadedBoard
from perfboard.factors.choose import choose
from perfboard.images.image import Image
from perfboard.targets.serial.line import SerialLine
from perfboard.targets.virtual.target import VirtualTarget
from tests.support.consoles import shell_on_terminal
from tests.support.runs import boots_of

from ..conftest import Here, Perfboard, sample
from .labgrid_lab import PLACE, labgrid, power_switch
from .ssh_boards import free_port, sshd

TARGET = f"labgrid://{PLACE}"
# What busybox prints once the scripts have run.
USABLE = "press Enter"
QUICK = ("kernel.syscall", "--time", "5")


def serial_port(port: int) -> dict[str, dict[str, object]]:
    return {"NetworkSerialPort": {"host": "127.0.0.1", "port": port, "protocol": "raw"}}


class Emulated:
    """An emulator that nobody watches: its console is a TCP port."""

    def __init__(self, monitor: Path, port: int) -> None:
        self._monitor = monitor
        self.port = port
        self.switched: list[bool] = []

    def switch(self, on: bool) -> None:
        """Switches the board as a plug would."""
        self.switched.append(on)
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(str(self._monitor))
            said = monitor.makefile("rw")
            for command in ("qmp_capabilities", *(("system_reset", "cont") if on else ("stop",))):
                print(json.dumps({"execute": command}), file=said, flush=True)
                while "return" not in json.loads(said.readline()):
                    pass


@contextmanager
def emulated(verdex: LoadedBoard, image: Image, folder: Path) -> Iterator[Emulated]:
    command = VirtualTarget(choose(verdex, {"detail": "counted"}), image).command()
    command.remove("-no-reboot")
    port, monitor = free_port(), folder / "monitor"
    wire = f"socket,id=console,host=127.0.0.1,port={port},server=on,wait=off"
    command += ["-chardev", wire, "-serial", "chardev:console"]
    command += ["-qmp", f"unix:{monitor},server=on,wait=off"]
    emulator = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield Emulated(monitor, port)
    finally:
        emulator.kill()
        emulator.wait()


@contextmanager
def console_server(line: SerialLine) -> Iterator[int]:
    """The port of a console server, which serves one caller after another."""
    gone = threading.Event()

    def serve(listener: socket.socket) -> None:
        while not gone.is_set():
            with suppress(TimeoutError, OSError), listener.accept()[0] as caller:
                caller.settimeout(0.001)
                while not gone.is_set():
                    with suppress(TimeoutError):
                        typed = caller.recv(1 << 16)
                        if not typed:
                            break
                        line.write(typed)
                    caller.sendall(line.read(0.001))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        server = threading.Thread(target=serve, args=(listener,))
        server.start()
        try:
            yield listener.getsockname()[1]
        finally:
            gone.set()
            server.join()


def test_a_board_is_booted_by_the_power_switch_of_its_place(
    perfboard: Perfboard, verdex: LoadedBoard, image: Image, tmp_path: Path
) -> None:
    with (
        emulated(verdex, image, tmp_path) as board,
        power_switch(board.switch) as power,
        labgrid(perfboard, tmp_path, {**serial_port(board.port), **power}),
    ):
        words = ["--target", TARGET, "--usable", USABLE, "--boots", "1"]
        run = perfboard.json("study", "boot", *words)
    assert board.switched == [False, True]
    assert (run["status"], run["target"], run["board"]["name"]) == ("complete", TARGET, PLACE)
    assert run["board"]["facts"]["kernel"].startswith("Linux version ")
    (boot,) = boots_of(run)
    marks = {mark["name"]: mark for mark in boot["marks"]}
    wanted = ["reset", "bootloader.main", "kernel.entry", "init.exec", "usable"]
    times = [marks[name]["t_ns"] for name in wanted]
    assert times == sorted(times) and times[0] == 0
    assert marks["reset"]["source"] == "switch"
    assert "a TCP port" in " ".join(run["provenance"]["notes"])
    assert run["provenance"]["tools"]["labgrid"]


def test_a_board_is_measured_at_the_console_of_its_place(here: Here, tmp_path: Path) -> None:
    with (
        shell_on_terminal(("sh", "-i"), {"TMPDIR": str(here.place)}) as line,
        console_server(line) as port,
        labgrid(here, tmp_path, serial_port(port)) as lab,
    ):
        run = here.json("measure", *QUICK, "--target", TARGET)
        assert sample(run, "kernel.syscall") > 0
        assert here.left_clean()
        refused = here("measure", *QUICK, "--target", f"{TARGET}er", code=3)
        assert f"no place {PLACE}er. Its places are: {PLACE}" in refused.stderr
        lab.release()
        refused = here("measure", *QUICK, "--target", TARGET, code=3)
        assert "is not acquired" in refused.stderr
        assert f"labgrid-client -p {PLACE} acquire" in refused.stderr
    refused = here("measure", *QUICK, "--target", TARGET, code=3)
    assert f"coordinator cannot be reached: {lab.address}" in refused.stderr
    here.environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PIP_NO_INDEX": "1"}
    refused = here("measure", *QUICK, "--target", TARGET, code=3)
    assert "pip cannot install labgrid>=25,<27" in refused.stderr
    assert not list((tmp_path / "cache").glob("perfboard/python/*"))


def test_a_board_is_measured_by_the_ssh_driver_of_its_place(here: Here, tmp_path: Path) -> None:
    with sshd(here):
        configuration = (tmp_path / "ssh_config").read_text()
        port = int(configuration.partition("Port ")[2].split()[0])
        service = {"address": "127.0.0.1", "port": port, "username": "root"}
        # The user's own drivers: JSON is YAML.
        drivers = {"SSHDriver": {"keyfile": str(tmp_path / "key")}}
        board = {"resources": {"RemotePlace": {"name": PLACE}}, "drivers": drivers}
        (tmp_path / "env.yaml").write_text(json.dumps({"targets": {"main": board}}))
        here.environment["LG_ENV"] = str(tmp_path / "env.yaml")
        with labgrid(here, tmp_path, {"NetworkService": service}):
            run = here.json("measure", *QUICK, "--target", TARGET)
            refused = here(*("study", "boot", "--usable", "x", "--target", TARGET), code=3)
    assert sample(run, "kernel.syscall") > 0
    assert run["provenance"]["tools"].keys() >= {"labgrid", "ssh"}
    assert here.left_clean()
    assert f"place {PLACE} has no console" in refused.stderr
