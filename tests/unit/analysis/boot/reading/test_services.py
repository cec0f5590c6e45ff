# SPDX-License-Identifier: Apache-2.0
"""Lines of systemd, OpenRC and procd, as they print them."""

import pytest

from perfboard.analysis.boot.reading.services import Service, service_of, service_spans, step_marks
from perfboard.model.results.boot import Mark


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("[  OK  ] Started ssh.service - OpenBSD Secure Shell server.", "end", "ssh.service"),
        ("[  OK  ] Started OpenBSD Secure Shell server.", "end", "OpenBSD Secure Shell server"),
        ("[  OK  ] Finished networking.service - Raise net.", "end", "networking.service"),
        ("[FAILED] Failed to start foo.service - Foo.", "end", "foo.service"),
        ("[  OK  ] Mounted boot.mount - /boot.", "end", "boot.mount"),
        ("[  OK  ] Reached target sysinit.target - System Initialization.", "reached", "sysinit"),
        ("[  OK  ] Reached target Basic System.", "reached", "basic"),
        ("[  OK  ] Reached target Multi-User System.", "reached", "multi-user"),
        ("[  OK  ] Reached target Graphical Interface.", "reached", "graphical"),
        ("         Starting ssh.service - OpenBSD Secure Shell server...", "begin", "ssh.service"),
        ("         Mounting boot.mount - /boot...", "begin", "boot.mount"),
        ("systemd[1]: Starting Network Service...", "begin", "Network Service"),
        ("systemd[1]: Started Network Service.", "end", "Network Service"),
        ("systemd[1]: Reached target Multi-User System.", "reached", "multi-user"),
        ("starting pid 64, tty '': '/etc/init.d/rcS'", "step", "init rcS"),
        ("init: starting pid 71, tty '/dev/ttyS0': '-/bin/sh'", "step", "init sh"),
        ("Loading, please wait...", "step", "initramfs start"),
        ("Begin: Mounting root file system ... ", "step", "initramfs Mounting root file system"),
        (
            "Begin: Running /scripts/local-top ... done.",
            "step",
            "initramfs Running /scripts/local-top",
        ),
        ("systemd[1]: Switching root.", "reached", "initramfs"),
        ("DEBUG: Running udev_run", "step", "initramfs udev"),
        ("DEBUG: Running rootfs_run", "step", "initramfs rootfs"),
        ("Switching root to '/rootfs'...", "reached", "initramfs"),
        ("systemd[1]: systemd 252 running in system mode", "step", "systemd"),
        (" * Starting sshd ... [ ok ]", "step", "Starting sshd"),
        (" * Starting sshd ...", "step", "Starting sshd"),
        (" * Mounting local filesystems ...", "step", "Mounting local filesystems"),
        ("* Checking local filesystems  ...", "step", "Checking local filesystems"),
        ("procd: - init -", "step", "procd init"),
        ("procd: - early -", "step", "procd early"),
        ("init: - preinit -", "step", "procd preinit"),
        ("procd: - init complete -", "step", "procd init complete"),
    ],
)
def test_a_line_of(text: str, kind: str, name: str) -> None:
    assert service_of(text) == (kind, name)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[  OK  ] Reached target Local File Systems.",
        "[  OK  ] Created slice system-getty.slice.",
        "Starting kernel ...",
        "[    0.000000] x",
        "procd: Instance x",
        "1 * 2 ...",
        "DEBUG: Loading module udev",
    ],
)
def test_other_lines(text: str) -> None:
    assert service_of(text) is None


def test_a_name_is_not_long() -> None:
    service = service_of("[  OK  ] Started " + "x" * 5000)
    assert service is not None and len(service.name) == 60


def at(t_ns: int) -> Mark:
    return Mark(name="", t_ns=t_ns, source="console")


def test_spans_are_of_services_that_began_and_ended() -> None:
    seen = [
        (Service("begin", "a"), at(10)),
        (Service("begin", "b"), at(11)),
        (Service("end", "b"), at(20)),
        (Service("end", "never begun"), at(21)),
        (Service("begin", "a"), at(22)),
        (Service("end", "a"), at(30)),
        (Service("end", "a"), at(31)),
        (Service("begin", "late"), at(40)),
        (Service("end", "late"), at(51)),
    ]
    spans = service_spans(seen, 50)
    assert [(each.name, each.start_ns, each.duration_ns) for each in spans] == [
        ("b", 11, 9),
        ("a", 10, 20),
    ]


def test_a_step_that_stands_in_a_record_too_counts_once() -> None:
    seen = [(Service("reached", "basic"), at(1)), (Service("reached", "basic"), at(2))]
    assert [(mark.name, mark.t_ns) for mark in step_marks(seen)] == [("reached:basic", 1)]


def test_targets_of_an_initramfs_are_part_of_it() -> None:
    lines = (
        *("[  OK  ] Reached target sysinit.target", "[  OK  ] Reached target basic.target"),
        *("systemd[1]: Switching root.", "[  OK  ] Reached target sysinit.target"),
        "[  OK  ] Reached target multi-user.target",
    )
    found = [
        (service_of(line), Mark(name="", t_ns=n, source="console")) for n, line in enumerate(lines)
    ]
    marks = [*step_marks([(service, mark) for service, mark in found if service])]
    assert [(mark.name, mark.t_ns) for mark in marks] == [
        ("reached:initramfs", 2),
        ("reached:sysinit", 3),
        ("reached:multi-user", 4),
    ]
