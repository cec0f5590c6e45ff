# SPDX-License-Identifier: Apache-2.0
"""A logic analyser through sigrok-cli: its capture runs from before the reset to the boot's end."""

import os
import re
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from perfboard.analysis.formats.sigrok import read_sigrok
from perfboard.host.programs.children import guarded
from perfboard.instruments.base import InstrumentFindings, InstrumentSighting, host_ns
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.results.boot import Mark

FORM = "sigrok:DRIVER,channels=D0-D3[,rate=1m]"
_WORD = re.compile(
    r"sigrok:(?P<driver>[a-z0-9-]{1,40}(?::[A-Za-z0-9=._/-]{1,80})?)"
    r",channels=(?P<channels>[A-Za-z]{0,8}\d{1,3}(?:[-/][A-Za-z]{0,8}\d{1,3}){0,63})"
    r"(?:,rate=(?P<rate>\d{1,9})(?P<prefix>[kmg]?))?"
)
_RANGE = re.compile(r"([A-Za-z]*)(\d+)-(?:\1)?(\d+)")
_PREFIX = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_USUAL_HZ = 1_000_000
_STARTS_S, _ENDS_S = 20.0, 20.0
# Edges of a channel that are looked through for those after the reset.
_MOST_EDGES = 100_000
# Words of sigrok-cli on packets from the device, at its most talkative level.
_HEADER = "Received SR_DF_HEADER"
_PACKET = re.compile(r"cli: Received SR_DF_LOGIC \((\d{1,12}) bytes, unitsize = (\d{1,3})\)")
_FILE = "capture.sr"


@dataclass(frozen=True)
class CapturePlan:
    """An analyser as the user's word names it: sigrok's driver, the channels, samples a second."""

    driver: str
    channels: tuple[str, ...]
    hz: int


def parse_capture(word: str) -> CapturePlan:
    """The meaning of --capture's word. Raises ValueError."""
    match = _WORD.fullmatch(word)
    if match is None:
        raise ValueError(f'"{word}" is no capture; it takes {FORM}, as in sigrok:fx2lafw,...')
    channels: list[str] = []
    for part in match["channels"].split("/"):
        if found := _RANGE.fullmatch(part):
            first, last = int(found[2]), int(found[3])
            channels += [f"{found[1]}{number}" for number in range(first, last + 1)]
        elif "-" in part:
            raise ValueError(f'"{part}" is no range of channels, as D0-D3 is')
        else:
            channels.append(part)
    if not 0 < len(channels) <= 64:
        raise ValueError(f'"{word}" names {len(channels)} channels; it takes 1 to 64')
    hz = int(match["rate"]) * _PREFIX[match["prefix"]] if match["rate"] else _USUAL_HZ
    if not hz:
        raise ValueError(f'"{word}" has a rate of 0')
    return CapturePlan(match["driver"], tuple(channels), hz)


class SigrokCapture:
    """Captures channels while a board boots, and finds their first edges after the reset."""

    name = "capture"
    effect = ""

    def __init__(self, wanted: CapturePlan, channels: Mapping[str, tuple[str, ...]]) -> None:
        """`channels` names the marks that the edges of each channel are."""
        self._wanted = wanted
        self._marks = {name: marks for name, marks in channels.items() if any(marks)}
        self._process: subprocess.Popen[str] | None = None
        self._guard = ExitStack()
        self._file = Path()
        self._last: deque[str] = deque(maxlen=5)
        self._flows = Event()
        self._reader: Thread | None = None
        self._start_ns = 0
        # The first sample was taken between these, by this machine's clock.
        self._earliest_ns = self._latest_ns = 0
        self._samples = 0

    def prepare(self, artifacts: Path) -> None:
        """Starts the capture, and returns once samples come. Raises EnvironmentLacksError."""
        if shutil.which("sigrok-cli") is None:
            raise EnvironmentLacksError(
                "--capture: this machine lacks sigrok-cli; on Debian: sudo apt-get install "
                "sigrok-cli"
            )
        self._file = artifacts / _FILE
        self._earliest_ns = host_ns()
        words = [
            *("sigrok-cli", "--loglevel", "4", "--driver", self._wanted.driver),
            *("--config", f"samplerate={self._wanted.hz}"),
            *("--channels", ",".join(self._wanted.channels)),
            *("--continuous", "--output-file", str(self._file)),
        ]
        self._process = self._guard.enter_context(
            guarded(
                words,
                # It captures until its input ends.
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={**os.environ, "LC_ALL": "C"},
                text=True,
                errors="replace",
            )
        )
        self._reader = Thread(target=self._follow, args=(self._process,), daemon=True)
        self._reader.start()
        if not self._flows.wait(_STARTS_S) or not self._samples:
            self.stop()
            reason = " ".join(self._last) or f"no sample came for {_STARTS_S:.0f} s"
            raise EnvironmentLacksError(
                f"--capture: sigrok-cli captures nothing by {self._wanted.driver}: {reason[-400:]}"
            )

    def start(self) -> None:
        self._start_ns = host_ns()

    def fileno(self) -> int:
        return -1

    def read(self) -> list[InstrumentSighting] | None:
        return []

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin:
            # A key ends it. At the end of its input alone it goes on, in a busy loop.
            with suppress(BrokenPipeError), process.stdin as keys:
                keys.write("\n")
        with suppress(subprocess.TimeoutExpired):
            process.wait(_ENDS_S)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self._guard.close()
        if self._reader is not None:
            self._reader.join(_ENDS_S)

    def began(self) -> tuple[int, int]:
        """The first sample's time in ns since `start`, by this machine's clock, and its error."""
        middle_ns = (self._earliest_ns + self._latest_ns) // 2
        return middle_ns - self._start_ns, (self._latest_ns - self._earliest_ns) // 2 + 1

    def findings(self) -> InstrumentFindings:
        """The edges, on the capture's own clock: since its first sample, not since `start`.

        Edges count that are surely after the reset. A note says what is missing.
        """
        if not self._marks:
            return InstrumentFindings(
                clock="capture", notes=("No channel of the capture has a mark.",)
            )
        try:
            with self._file.open("rb") as stream:
                capture = read_sigrok(stream, dict.fromkeys(self._marks, _MOST_EDGES))
        except (ValueError, OSError) as error:
            return InstrumentFindings(clock="capture", notes=(f"{_FILE}: {error}",))
        began_ns, error_ns = self.began()
        half_ns = -int(-capture.step_ns // 2)
        marks, notes = [], [*capture.notes]
        for channel, names in self._marks.items():
            edges = [
                ns - half_ns for ns in capture.edges[channel] if ns - half_ns > error_ns - began_ns
            ]
            for name, edge_ns in zip(names, edges, strict=False):
                if name:
                    marks.append(
                        Mark(
                            name=name,
                            t_ns=edge_ns,
                            clock="capture",
                            source="capture",
                            precision_ns=half_ns,
                        )
                    )
            if lost := [name for name in names[len(edges) :] if name]:
                notes.append(
                    f"Channel {channel} has {len(edges)} of {len(names)} edges after the reset, "
                    f"so that {', '.join(lost)} is absent."
                )
        marks.sort(key=lambda mark: mark.t_ns)
        return InstrumentFindings(clock="capture", marks=tuple(marks), notes=tuple(notes))

    def _follow(self, process: "subprocess.Popen[str]") -> None:
        """Learns from what sigrok-cli prints when the first sample was taken."""
        for line in process.stderr or ():
            now_ns = host_ns()
            if match := _PACKET.match(line):
                self._samples += int(match[1]) // max(1, int(match[2]))
                # The last of these samples is no younger than its line.
                latest_ns = now_ns - self._samples * 10**9 // self._wanted.hz
                first = not self._flows.is_set()
                self._latest_ns = latest_ns if first else min(self._latest_ns, latest_ns)
                self._latest_ns = max(self._latest_ns, self._earliest_ns)
                self._flows.set()
            elif _HEADER in line:
                self._earliest_ns = now_ns if not self._samples else self._earliest_ns
            elif line.strip() and not line.startswith(("sr: ", "srd: ", "cli: ")):
                self._last.append(line.strip())
        self._flows.set()
