# SPDX-License-Identifier: Apache-2.0
"""mail.open and mail.sort: a mail client opens a generated folder, and sorts it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Parameter, Quantity, Setting
from perfboard.measures.display.app import application_of, sampled_metrics, samples_of
from perfboard.measures.display.applications.base import Application, Mail, all_applications
from perfboard.measures.display.folders import FOLDERS, folder
from perfboard.measures.display.session import (
    CALIBRATIONS,
    MEMORY,
    QUIET,
    TASK,
    DisplayMeasure,
    accepted,
    display_memory,
    example_memory,
    memory_metrics,
    quiet,
    read_session,
    session,
)
from perfboard.model.run import Metric

_CLIENTS = tuple(name for name, one in all_applications().items() if one.mail)
_PARAMETERS = (
    Parameter("program", "sylpheed", f"one of {', '.join(_CLIENTS)}"),
    Parameter("folder", "small", "small: 924 messages of 3590 kB; large: 9827 of 37,962 kB"),
    Parameter("kind", "", 'mh, maildir or mbox; "": the one that the program prefers'),
    QUIET,
)


@dataclass(frozen=True)
class _Client:
    application: Application
    mail: Mail
    files: Mapping[str, bytes]

    def to_folder(self) -> list[str]:
        """The lines that start it and lead to the folder, which is not open yet."""
        select = (f"key select {key}" for key in self.mail.select)
        return ["reference -", f"start begin {self.application.command}", *select]


def _client_of(setting: Setting) -> _Client:
    """The program and its folder. Raises NotMeasurable."""
    application = application_of(setting, "program")
    size, kind = setting.text("folder"), setting.text("kind")
    mail = application.mail
    if mail is None:
        raise NotMeasurable(
            f"program is {application.name!r}; needs a mail client: {', '.join(_CLIENTS)}"
        )
    if size not in FOLDERS:
        raise NotMeasurable(f"folder is {size!r}; needs {' or '.join(FOLDERS)}")
    if kind and kind not in mail.kinds:
        raise NotMeasurable(
            f"kind is {kind!r}; {application.name} reads {' and '.join(mail.kinds)}"
        )
    files = folder(size, kind or mail.kinds[0], mail.path)
    return _Client(application, mail, {**files, **mail.marks(FOLDERS[size][0])})


class MailOpen(DisplayMeasure):
    """Opens the folder in a client that has just started, again and again."""

    name = "mail.open"
    title = "Opening a folder of mail"
    parameters = _PARAMETERS
    metrics = (
        Quantity(
            "mail.open.time",
            "s",
            "from the key to the last pixel, in a client that has just started and that has "
            "opened the folder before",
        ),
        Quantity("mail.open.first", "s", "the same where it has not: it reads each message"),
        Quantity("mail.open.refused", "1", "samples that did not count, of all"),
        *display_memory("mail.memory", "with the folder open"),
    )
    examples = (
        Example(
            f"{TASK % ('calibration', 'calibration')}{TASK % ('open', 'ok')}{MEMORY}",
            {
                "mail.open.time": 0.03,
                "mail.open.first": 0.03,
                "mail.open.refused": 0,
                **example_memory("mail.memory"),
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        client = _client_of(setting)

        def once(label: str) -> list[str]:
            return [*client.to_folder(), "reference open", f"key {label} {client.mail.open}"]

        # It keeps what it knows of the folder when it is asked to close.
        close = ["close left 0", "end"]
        again = [f"?{line}" for line in (*close, *once("calibration"))]
        lines = [quiet(setting), *once("calibration"), *again * (CALIBRATIONS - 1), *close]
        lines += [*once("open"), "memory open", *close] * samples_of(setting)
        return session([client.application], lines, client.files)

    def read(self, output: str, setting: Setting) -> Finding:
        found, count = read_session(output), samples_of(setting)
        samples = accepted(found, "open", count)
        metrics = sampled_metrics("mail.open", samples, count)
        first = found.tried.get("calibration", ())[:1]
        if first and first[0].hash == samples[0].hash:
            metrics.append(Metric(name="mail.open.first", unit="s", samples=(first[0].time_s,)))
        metrics += memory_metrics("mail.memory", found)
        return Finding(tuple(metrics))


class MailSort(DisplayMeasure):
    """Sorts an open folder by subject and back by date, again and again."""

    name = "mail.sort"
    labels = MappingProxyType({**DisplayMeasure.labels, "by": ("date", "subject")})
    title = "Sorting a folder of mail"
    parameters = _PARAMETERS
    metrics = (
        Quantity(
            "mail.sort.time",
            "s",
            "from the key to the last pixel, by `by`: subject, or date (back)",
        ),
        Quantity("mail.sort.refused", "1", "samples that did not count, of all, by `by`"),
    )
    examples = (
        Example(
            f"{TASK % ('subject', 'ok')}{TASK % ('date', 'ok')}",
            {"mail.sort.time": 0.03, "mail.sort.refused": 0},
        ),
    )

    def job(self, setting: Setting) -> Job:
        client = _client_of(setting)
        keys = {"subject": client.mail.subject, "date": client.mail.back}
        lines = [quiet(setting), *client.to_folder(), f"key open {client.mail.open}"]
        for by, other in (("subject", "date"), ("date", "subject")):
            # The last of them needs no way back: there the other calibration begins.
            lines.append(f"reference {by}")
            there = [f"key calibration {keys[by]}", "reference -"]
            back = [f"key between {keys[other]}", f"reference {by}"]
            lines += [f"?{line}" for line in (*there, *back) * CALIBRATIONS]
        for _ in range(samples_of(setting)):
            for by, key in keys.items():
                lines += [f"reference {by}", f"key {by} {key}"]
        return session([client.application], [*lines, "end"], client.files)

    def read(self, output: str, setting: Setting) -> Finding:
        found, count = read_session(output), samples_of(setting)
        metrics = list[Metric]()
        for by in ("subject", "date"):
            metrics += sampled_metrics("mail.sort", accepted(found, by, count), count, {"by": by})
        return Finding(tuple(metrics))


MEASURES = (MailOpen(), MailSort())
