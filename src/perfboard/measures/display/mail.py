# SPDX-License-Identifier: Apache-2.0
"""mail.open and mail.sort: a mail client opens a generated folder, and sorts it (study A)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.base import Figure, Parameter, text
from perfboard.measures.display.app import application_of, samples_of
from perfboard.measures.display.applications.base import Application, Mail, all_applications
from perfboard.measures.display.folders import FOLDERS, folder
from perfboard.measures.display.session import (
    CALIBRATIONS,
    QUIET,
    accepted,
    display_memory,
    memory_metrics,
    quiet,
    read_session,
    session,
)
from perfboard.model.profile import Value
from perfboard.model.run import Metric

_CLIENTS = tuple(name for name, one in all_applications().items() if one.mail)
_PARAMETERS = {
    "program": Parameter("sylpheed", f"one of {', '.join(_CLIENTS)}"),
    "folder": Parameter("small", "small: 924 messages of 3590 kB; large: 9827 of 37,962 kB"),
    "kind": Parameter("", 'mh, maildir or mbox; "": the one that the program prefers'),
    "quiet_ms": QUIET,
}


@dataclass(frozen=True)
class _Client:
    application: Application
    mail: Mail
    files: Mapping[str, bytes]

    def to_folder(self) -> list[str]:
        """The lines that start it and lead to the folder, which is not open yet."""
        select = (f"key select {key}" for key in self.mail.select)
        return ["reference -", f"start begin {self.application.command}", *select]


def _client_of(parameters: Mapping[str, Value]) -> _Client:
    """The program and its folder. Raises NotMeasurable."""
    application = application_of(parameters, "program")
    size, kind = text(parameters, "folder"), text(parameters, "kind")
    mail = application.mail
    if mail is None:
        raise NotMeasurable(
            f"program is {application.name!r}; wants a mail client: {', '.join(_CLIENTS)}"
        )
    if size not in FOLDERS:
        raise NotMeasurable(f"folder is {size!r}; wants {' or '.join(FOLDERS)}")
    if kind and kind not in mail.kinds:
        raise NotMeasurable(
            f"kind is {kind!r}; {application.name} reads {' and '.join(mail.kinds)}"
        )
    files = folder(size, kind or mail.kinds[0], mail.path)
    return _Client(application, mail, {**files, **mail.marks(FOLDERS[size][0])})


@dataclass(frozen=True)
class MailOpen:
    """Opens the folder in a client that has just started, again and again."""

    name: str = "mail.open"
    title: str = "Opening a folder of mail"
    parameters: Mapping[str, Parameter] = field(default_factory=lambda: dict(_PARAMETERS))
    metrics: Mapping[str, Figure] = field(
        default_factory=lambda: {
            "mail.open.time": Figure(
                "s",
                "from the key to the last pixel, in a client that has just started and that has "
                "opened the folder before",
            ),
            "mail.open.first": Figure("s", "the same where it has not: it reads each message"),
            "mail.open.refused": Figure("1", "samples that did not count, of all"),
            **display_memory("mail.memory", "with the folder open"),
        }
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return ()

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        client = _client_of(parameters)

        def once(label: str) -> list[str]:
            return [*client.to_folder(), "reference open", f"key {label} {client.mail.open}"]

        # It keeps what it knows of the folder when it is asked to close.
        close = ["close left 0", "end"]
        again = [f"?{line}" for line in (*close, *once("calibration"))]
        lines = [quiet(parameters), *once("calibration"), *again * (CALIBRATIONS - 1), *close]
        lines += [*once("open"), "memory open", *close] * samples_of(repeats)
        return session([client.application], lines, client.files)

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        found, count = read_session(output), samples_of(repeats)
        samples = accepted(found, "open", count)
        times, refused = tuple(one.stable for one in samples), (1 - len(samples) / count,)
        metrics = [
            Metric(name="mail.open.time", unit="s", samples=times),
            Metric(name="mail.open.refused", unit="1", samples=refused),
        ]
        first = found.tried.get("calibration", ())[:1]
        if first and first[0].picture == samples[0].picture:
            metrics.append(Metric(name="mail.open.first", unit="s", samples=(first[0].stable,)))
        return (*metrics, *memory_metrics("mail.memory", found))


@dataclass(frozen=True)
class MailSort:
    """Sorts an open folder by subject and back by date, again and again."""

    name: str = "mail.sort"
    title: str = "Sorting a folder of mail"
    parameters: Mapping[str, Parameter] = field(default_factory=lambda: dict(_PARAMETERS))
    metrics: Mapping[str, Figure] = field(
        default_factory=lambda: {
            "mail.sort.time": Figure(
                "s", "from the key to the last pixel, by `by`: subject, or date (back)"
            ),
            "mail.sort.refused": Figure("1", "samples that did not count, of all, by `by`"),
        }
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return ()

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        client = _client_of(parameters)
        keys = {"subject": client.mail.subject, "date": client.mail.back}
        lines = [quiet(parameters), *client.to_folder(), f"key open {client.mail.open}"]
        for by, other in (("subject", "date"), ("date", "subject")):
            # The last of them needs no way back: there the other calibration begins.
            lines.append(f"reference {by}")
            there = [f"key calibration {keys[by]}", "reference -"]
            back = [f"key between {keys[other]}", f"reference {by}"]
            lines += [f"?{line}" for line in (*there, *back) * CALIBRATIONS]
        for _ in range(samples_of(repeats)):
            for by, key in keys.items():
                lines += [f"reference {by}", f"key {by} {key}"]
        return session([client.application], [*lines, "end"], client.files)

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        found, count = read_session(output), samples_of(repeats)
        metrics = []
        for by in ("subject", "date"):
            samples, labels = accepted(found, by, count), {"by": by}
            times, refused = tuple(one.stable for one in samples), (1 - len(samples) / count,)
            metrics += [
                Metric(name="mail.sort.time", unit="s", labels=labels, samples=times),
                Metric(name="mail.sort.refused", unit="1", labels=labels, samples=refused),
            ]
        return tuple(metrics)


WORKLOADS = (MailOpen(), MailSort())
