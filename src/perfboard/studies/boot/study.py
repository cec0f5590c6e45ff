# SPDX-License-Identifier: Apache-2.0
"""Study E (2009): where the time goes between reset and a usable system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from perfboard.analysis.boot.metrics import counted_metrics, metrics_of
from perfboard.analysis.budget import Held, hold
from perfboard.analysis.power.find import FORMS
from perfboard.bench.boot.base import BootSubject
from perfboard.bench.boot.beside import Beside
from perfboard.bench.boot.line import serial_subject
from perfboard.bench.boot.options import silence_option, timeout_option, usable_option
from perfboard.bench.boot.virtual import virtual_subject
from perfboard.bench.lab import Lab
from perfboard.bench.request import Request
from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.instruments.logic.sigrok import FORM, Wanted, parse_capture
from perfboard.model.channels import parse_channels, parse_volts
from perfboard.model.options import (
    option,
    parse_command,
    parse_count,
    parse_duration,
    parse_switch,
)
from perfboard.model.results.base import Result
from perfboard.model.results.boot import Boot, BootResult
from perfboard.model.run import Metric, Run
from perfboard.store.recording import Found
from perfboard.targets.wired import SCHEMES


@dataclass(frozen=True)
class BootOptions:
    """The options of `perfboard study boot`."""

    boots: int = option(
        3, "the number of boots (default: 3)", parse=parse_count("boots", 1, 1000), metavar="N"
    )
    budget_s: float | None = option(
        None,
        "the seconds that the whole boot may take: the run gets a verdict (default: the board "
        "file's, if any)",
        parse=parse_duration,
        metavar="S",
    )
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
    capture: Wanted | None = option(  # noqa: RUF009
        None,
        f"also capture with a logic analyser, from before the reset on: {FORM}",
        parse=parse_capture,
        metavar="C",
        only="serial, labgrid",
    )
    channel: Mapping[str, tuple[str, ...]] = option(
        {},
        "the mark that the first edge of the capture's channel behind the reset is, as in "
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


@dataclass(frozen=True)
class BootStudy:
    """Boots a board several times and cuts each boot into phases."""

    name: str = "boot"
    title: str = "Boot time, phase by phase"
    question: str = "Where does the time go between reset and a usable system?"
    options: type[BootOptions] = BootOptions
    targets: tuple[str, ...] = ("virtual", *SCHEMES)
    default_target: str = ""
    headline: str = "boot.total"

    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]:
        """Those of the board verdex; others may have others."""
        board = load_board("verdex").board
        return {name: tuple(factor.levels) for name, factor in factors_of(board).items()}

    def run(self, request: Request, options: BootOptions, lab: Lab) -> Run:
        """See `studies.base.Study`."""
        if request.target.partition(":")[0] in SCHEMES:
            subject = serial_subject(
                request,
                options.usable,
                options.reset,
                lab,
                silent_s=options.silence,
                boot_s=options.timeout,
                beside=Beside(
                    options.capture, options.channel, options.power, options.volts or None
                ),
            )
        else:
            subject = virtual_subject(request, lab, functions=options.functions)
        if options.budget_s is not None:
            subject = replace(subject, budget_s=options.budget_s)
        boots: list[Boot] = []
        with (
            lab.record(self.name, subject.name, request.command, self.headline) as record,
            record.begin(lambda: _found(subject, boots)),
        ):
            for boot in subject.boots(options.boots, record.folder):
                boots.append(boot)
        return record.run


def _found(subject: BootSubject, boots: Sequence[Boot]) -> Found:
    head = subject.head()
    metrics: tuple[Metric, ...] = ()
    if boots:
        beside, more = subject.beside()
        metrics = (*metrics_of(boots), *counted_metrics(boots), *subject.metrics, *more)
    total = next((metric for metric in metrics if metric.name == "boot.total"), None)
    results: tuple[Result, ...] = ()
    if boots:
        limits = subject.limits(boots)
        results = (BootResult(boots=tuple(boots)), *([limits] if limits else []), *beside)
    held = Held()
    if total is not None and subject.budget_s is not None:
        held = hold(
            total,
            subject.budget_s,
            head.evidence,
            margin=subject.margin,
            has_model=subject.has_model,
        )
    return Found(
        head,
        metrics=metrics,
        results=results,
        notes=subject.notes(),
        verdicts=held.verdicts,
        no_verdicts=held.no_verdicts,
        step=f"boot {len(boots) + 1}",
    )


STUDY = BootStudy()
