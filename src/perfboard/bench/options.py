# SPDX-License-Identifier: Apache-2.0
"""How a board is booted: the options of each study that does so."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perfboard.analysis.power.find import FORMS
from perfboard.instruments.logic.sigrok import FORM, CapturePlan, parse_capture
from perfboard.model.channels import parse_channels, parse_volts
from perfboard.model.errors import UsageError
from perfboard.model.options import (
    flag,
    option,
    parse_command,
    parse_console_line,
    parse_seconds,
    parse_switch,
)
from perfboard.targets.serial.watch import BOOT_S, SILENT_S


def usable_option() -> Any:
    """The field of the console line that says that the board is ready; "" for the board file's."""
    return option(
        "",
        "the console line that means ready",
        parse=parse_console_line,
        metavar="REGEX",
        only="serial, labgrid",
    )


def silence_option() -> Any:
    """The field of the longest silence of a board that boots, in s."""
    return option(
        SILENT_S,
        f"how long the board may be silent (default: {SILENT_S:g})",
        parse=parse_seconds,
        metavar="S",
        only="serial, labgrid",
    )


def timeout_option() -> Any:
    """The field of the longest boot, in s."""
    return option(
        BOOT_S,
        f"how long the board may take to be ready (default: {BOOT_S:g})",
        parse=parse_seconds,
        metavar="S",
        only="serial, labgrid",
    )


def check_command(option: str, words: Sequence[str]) -> None:
    """Raises UsageError if this machine does not have the program of a command."""
    if words and shutil.which(words[0]) is None:
        raise UsageError(f"{option} {words[0]}: there is no such program")


def check_usable(usable: str) -> None:
    """Raises UsageError for a boot of a real board that nothing ends."""
    if not usable:
        raise UsageError(
            "the boot of a real board ends with a line of its console: give it as --usable "
            "'login:', or as `usable` in the board's file"
        )


@dataclass(frozen=True)
class BenchOptions:
    """The options of a bench, most of them for a board on a line.

    `write` says whether images are written to the line's board: its levels are the images' then.
    """

    usable: str = usable_option()
    reset: tuple[str, ...] = option(
        (),
        "the command that resets the board; it runs on this machine, without a shell, and must "
        "end when the board is released (default: labgrid's power switch, else `reboot -f` in the "
        "board's own shell)",
        parse=parse_command,
        metavar="COMMAND",
        only="serial, labgrid",
    )
    capture: CapturePlan | None = option(  # noqa: RUF009
        None,
        f"also capture with a logic analyser, from before the reset on: {FORM}",
        parse=parse_capture,
        metavar="C",
        only="serial, labgrid",
    )
    channel: Mapping[str, tuple[str, ...]] = option(
        {},
        "the mark that the first edge of the capture's channel after the reset is, as in "
        "D0=kernel.entry; D0=a/b names the first two edges",
        parse=parse_channels,
        metavar="D=M",
        repeated=True,
        only="serial, labgrid",
    )
    power: str = option(
        "",
        "also measure the energy of each phase, by a meter of this machine that supplies the "
        f"board ({FORMS}), or by the file that its program writes, as ./meter.csv",
        metavar="METER",
        only="serial, labgrid",
    )
    volts: float = option(
        0.0,
        "the supply's voltage, for a meter's file of currents alone",
        parse=parse_volts,
        metavar="V",
        only="serial, labgrid",
    )
    functions: bool = option(
        False,
        "on: also keep which functions the time of a timed board went to, which takes a third more "
        "of the host's time (default: off)",
        parse=parse_switch,
        metavar="on|off",
        only="virtual",
    )
    silence: float = silence_option()
    timeout: float = timeout_option()
    write: bool = False

    def check(self) -> None:
        """Raises UsageError for an option without effect, or a program that there is not."""
        check_command("--reset", self.reset)
        captured = self.capture.channels if self.capture else ()
        if self.channel and not captured:
            raise UsageError("--channel: names marks of a capture; give --capture too, or omit it")
        for name in self.channel:
            if name not in captured:
                raise UsageError(
                    f"--channel {name}: --capture takes no such channel; it has "
                    f"{', '.join(captured)}"
                )
        if self.volts and not self.power:
            raise UsageError("--volts: is of a meter's file; give --power too, or omit it")

    def check_boots(self, boots: bool) -> None:
        """Raises UsageError for options of boots where nothing `boots`."""
        names = ("capture", "channel", "power", "volts", "functions")
        if not boots and (given := [flag(name) for name in names if getattr(self, name)]):
            raise UsageError(
                f"{', '.join(given)}: nothing of this boots the board; omit it, or measure boot too"
            )
