# SPDX-License-Identifier: Apache-2.0
"""Packets a second that a network device echoes, and where the limit lies (study C)."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from perfboard.analysis.packets.search import Goal
from perfboard.bench.lab import Lab
from perfboard.bench.request import Request
from perfboard.bench.talk.address import address_of, check_own
from perfboard.bench.talk.ends import Talking, prepared
from perfboard.bench.talk.far_end import booted, with_own_card
from perfboard.boards.loader import load_board
from perfboard.images.network import BOARD
from perfboard.measures.network.echo import EXACT, LIVE, Echo, Floods
from perfboard.model.errors import INCONCLUSIVE, UsageError
from perfboard.model.options import option, parse_seconds
from perfboard.model.results.packets import EchoResult, PacketsResult, Protocol
from perfboard.model.run import Metric, Run, RunError
from perfboard.store.recording import Found, Subject
from perfboard.targets.pipe import local, ssh

PROTOCOLS: tuple[Protocol, ...] = ("icmp", "udp")
_TRIAL_S = 3.0
# A virtual board's trials, and how close its bounds are. A flood tells where the search begins.
_EXACT_TRIAL_S, _WIDTH = 1.5, 0.02
# The longest trials that one protocol takes, about: the curve and the search; and a sender more.
_USUAL, _A_SENDER = 14.0, 0.7


@dataclass(frozen=True)
class PacketsOptions:
    """The options of `perfboard study packets`."""

    sender: tuple[str, ...] = option(
        ("local",),
        f"a target that asks: {local.FORM} (default) or {ssh.FORM}; repeatable",
        parse=tuple,
        metavar="SENDER",
        repeated=True,
    )
    address: str = option(
        "",
        "the IPv4 address of the target that is asked (default: the host of ssh, or 127.0.0.1)",
        metavar="ADDRESS",
    )
    only: tuple[str, ...] = option(
        PROTOCOLS,
        "measure this protocol alone: icmp or udp",
        parse=tuple,
        metavar="PROTOCOL",
        repeated=True,
    )
    trial: float = option(
        0.0,
        "the length of the longest trials (default: 3, of a virtual board 1.5); longer ones are "
        "flattered less by queues",
        parse=parse_seconds,
        metavar="SECONDS",
    )
    this_network_is_mine: bool = option(
        False,
        "send to an address that is neither private nor loopback",
        parse=bool,
        switch=True,
    )


@dataclass(frozen=True)
class PacketsStudy:
    """Floods, and searches for the highest rate without loss, by ICMP and by UDP."""

    name: str = "packets"
    title: str = "Packets per second"
    question: str = "How many packets a second does this device answer, and what limits it?"
    options: type[PacketsOptions] = PacketsOptions
    targets: tuple[str, ...] = ("local", "ssh", "serial", "virtual")
    default_target: str = "local"
    headline: str = "network.packets.paced"
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def run(self, request: Request, options: PacketsOptions, lab: Lab) -> Run:
        """See `studies.base.Study`."""
        for sender in options.sender:
            if sender.partition(":")[0] not in (local.SCHEME, ssh.SCHEME):
                raise UsageError(f"--sender {sender}: wants {local.FORM} or {ssh.FORM}")
        for protocol in options.only:
            if protocol not in PROTOCOLS:
                raise UsageError(f"--only {protocol}: wants {' or '.join(PROTOCOLS)}")
        protocols = [each for each in PROTOCOLS if each in options.only]
        if request.target.startswith("virtual:"):
            return _run_virtual(request, options, protocols, lab)
        address = address_of(request.target, options.address, options.this_network_is_mine)
        with (
            lab.record(self.name, request.place, request.command, self.headline) as record,
            ExitStack() as stack,
        ):
            artifacts = record.folder.artifact_path("console.log").parent
            target = stack.enter_context(
                lab.open(request.target, lab.progress, artifacts, request.factors)
            )
            check_own(target, address)
            device = stack.enter_context(prepared(target, lab.progress))
            senders = []
            for name in options.sender:
                own = stack.enter_context(lab.open(name, lab.progress, None, {}))
                senders.append(stack.enter_context(prepared(own, lab.progress)))
            subject = replace(request.subject_of(target), tools=target.tools)
            final = options.trial or _TRIAL_S
            goal = Goal(final_s=final, sum_s=3 * final, initial_s=final / 6)
            work = _Work(address, protocols, goal, subject, device, senders, lab, LIVE)
            with record.begin(work.found):
                work.measure()
        return record.run


def _run_virtual(
    request: Request, options: PacketsOptions, protocols: Sequence[Protocol], lab: Lab
) -> Run:
    """The far end of the board's network asks: at no cost to the board, and the same each time."""
    if options.sender != ("local",) or options.address:
        raise UsageError("--sender, --address: a virtual board is asked by its own far end")
    variant = with_own_card(load_board(request.target.partition(":")[2]), request.factors)
    # A trial that is made again has the same outcome.
    final = options.trial or _EXACT_TRIAL_S
    goal = Goal(final_s=final, sum_s=final, width=_WIDTH, initial_s=final)
    with lab.record(STUDY.name, request.place, request.command, STUDY.headline) as record:
        artifacts = record.folder.artifact_path("console.log").parent
        with booted(variant, lab, artifacts) as bench:
            ends = bench.device, [bench.sender]
            work = _Work(BOARD, protocols, goal, bench.subject, *ends, lab, EXACT)
            with record.begin(work.found):
                work.measure()
    return record.run


class _Work:
    """The measuring, and what it found so far."""

    def __init__(
        self,
        address: str,
        protocols: Sequence[Protocol],
        goal: Goal,
        subject: Subject,
        device: Talking,
        senders: Sequence[Talking],
        lab: Lab,
        floods: Floods,
    ) -> None:
        self._address, self._protocols, self._goal = address, protocols, goal
        self._subject = subject
        self._device, self._senders, self._lab = device, senders, lab
        self._floods = floods
        self._echoes: list[Echo] = []
        self._before: Mapping[str, str] = {}
        self._after: Mapping[str, str] = {}
        self._step = ""

    def measure(self) -> None:
        """Measures each protocol."""
        usual = self._goal.final_s * (_USUAL + _A_SENDER * len(self._senders))
        whole = len(self._protocols) * usual
        self._before = self._device.counters().settings
        with self._lab.progress.step("measuring packets", whole) as step:
            for number, protocol in enumerate(self._protocols):
                spent = [usual * number]

                def notify(seconds: float, what: str, spent: list[float] = spent) -> None:
                    spent[0] += seconds
                    self._step = what
                    step.update(min(spent[0], whole), what)

                echo = Echo(
                    protocol,
                    self._device,
                    self._senders,
                    self._address,
                    self._goal,
                    notify,
                    self._floods,
                )
                self._echoes.append(echo)
                echo.measure()
        self._after = self._device.counters().settings

    def found(self) -> Found:
        """All that is known by now."""
        result = PacketsResult(
            address=self._address,
            senders=tuple(sender.name for sender in self._senders),
            echoes=tuple(echo.record.result() for echo in self._echoes),
            icmp_before=dict(self._before),
            icmp_after=dict(self._after),
        )
        errors: tuple[RunError, ...] = ()
        if self._echoes and result.undecided:
            reasons = " ".join(echo.reason for echo in result.echoes)
            errors = (RunError(kind=INCONCLUSIVE, message=f"Nothing was measured: {reasons}"),)
        notes = list(self._device.notes)
        if self._after and self._after != self._before:
            notes.append("The target's limits on ICMP messages changed during the run.")
        return Found(
            self._subject,
            metrics=tuple(metric for echo in result.echoes for metric in _metrics(echo)),
            results=(result,),
            notes=tuple(notes),
            errors=errors,
            step=self._step,
        )


def _metrics(echo: EchoResult) -> list[Metric]:
    found = []
    rows = [(row, row.senders) for row in echo.flood]
    rows += [(row, row.senders) for row in echo.curve if row.payload > 1]
    for row, senders in rows:
        # A rate with losses is none.
        if row.sent == row.answered:
            labels = {
                "protocol": echo.protocol,
                "senders": str(senders),
                "payload": str(row.payload),
            }
            found.append(
                Metric(
                    name="network.packets.flood",
                    unit="1/s",
                    labels=labels,
                    better="higher",
                    samples=(row.rate,),
                )
            )
    if echo.lower is not None:
        found.append(
            Metric(
                name="network.packets.paced",
                unit="1/s",
                labels={"protocol": echo.protocol},
                better="higher",
                samples=(2 * echo.lower,),
            )
        )
    return found


STUDY = PacketsStudy()
