# SPDX-License-Identifier: Apache-2.0
"""Each form of a saved log, of three boards: its format is found, its marks are right or absent."""

import json
from pathlib import Path

import pytest

from perfboard.analysis.boot.phases import cut_phases
from perfboard.analysis.boot.steps import cut_userspace
from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer
from perfboard.model.results.boot import Boot
from tests.support.boots import hold
from tests.support.recorded import DATA

LOGS = DATA / "import"
RIGHT: dict[str, dict[str, float]] = json.loads((LOGS / "right.json").read_text())
# A machine that is busy hands a program's text on late.
LATE_S = 0.03
LOADERS = {"bootloader.main", "boot.command", "kernel.entry"}
KERNEL = {"kernel.clock", "root.mounted", "kernel.freed", "init.exec"}


def paths(*forms: str) -> list[Path]:
    return [LOGS / f"{form}-{board}.log" for form in forms for board in RIGHT]


def read(path: Path, format: str = "", usable: str = "") -> tuple[str, FileContent]:
    file = SavedFile(path)
    importer = choose_importer(file, format)
    return importer.name, importer.read(file, ImportOptions(usable=usable))


def boot_of(path: Path, importer: str) -> Boot:
    name, imported = read(path)
    assert name == importer
    (boot,) = imported.boots
    hold(boot)
    return boot


def check(boot: Boot, right: dict[str, float]) -> None:
    """Holds the marks against what is right: each within its precision, on a clock of its own."""
    first = next(mark for mark in boot.marks if mark.name in ("reset", "console.first", *right))
    for name, at_s in right.items():
        mark = boot.mark(name)
        assert mark is not None, name
        off_s = (mark.t_ns - first.t_ns) / 1e9 - (at_s - right.get(first.name, 0.0))
        known_s = (mark.precision_ns + first.precision_ns) / 1e9
        assert abs(off_s) <= known_s + LATE_S, (name, off_s, known_s)


HOST: dict[str, tuple[str, ...]] = {
    "grabserial": ("grabserial", "grabserial-n", "grabserial-T", "grabserial-tT"),
    "ts": (
        *("ts", "ts-s", "ts-i", "ts-epoch", "ts-s-fine", "ts-i-fine", "ts-brackets"),
        "picocom",
    ),
    "tio": ("tio", "tio-start", "tio-delta", "tio-iso"),
    "minicom": ("minicom", "minicom-ms", "minicom-second"),
    "labgrid": ("labgrid-log",),
    "lava": ("lava", "lava-old"),
}
ALONE: dict[str, tuple[str, ...]] = {n: (n,) for n in ("kernel", "screen", "labgrid")}
DMESG = {
    "dmesg": (
        *("dmesg", "dmesg-T", "dmesg-x", "dmesg-d", "dmesg-iso", "dmesg-delta"),
        *("dmesg-reltime", "dmesg-color"),
    ),
    "dmesg-json": ("dmesg-json", "dmesg-json-x", "dmesg-json-file"),
}


def each(forms: dict[str, tuple[str, ...]]) -> list[tuple[str, Path]]:
    return [(name, path) for name, given in forms.items() for path in paths(*given)]


def board_of(path: Path) -> dict[str, float]:
    return RIGHT[path.stem.rpartition("-")[2]]


def test_every_file_is_tested() -> None:
    named = {path.name for _, path in each({**HOST, **DMESG})} | {p.name for _, p in each(ALONE)}
    assert named == {path.name for path in LOGS.glob("*.log")}


@pytest.mark.parametrize(("importer", "path"), each(HOST), ids=lambda given: Path(given).stem)
def test_stamps_of_a_host(importer: str, path: Path) -> None:
    check(boot_of(path, importer), board_of(path))


@pytest.mark.parametrize(("importer", "path"), each(ALONE), ids=lambda given: Path(given).stem)
def test_the_kernels_stamps_alone(importer: str, path: Path) -> None:
    boot = boot_of(path, importer)
    right = {name: at_s for name, at_s in board_of(path).items() if name not in LOADERS}
    check(boot, right)
    assert LOADERS.isdisjoint(mark.name for mark in boot.marks)
    assert {mark.clock for mark in boot.marks} == {"kernel"}
    assert boot.mark("reset") is None and boot.mark("console.first") is None


@pytest.mark.parametrize(("importer", "path"), each(DMESG), ids=lambda given: Path(given).stem)
def test_the_kernels_log(importer: str, path: Path) -> None:
    boot = boot_of(path, importer)
    check(boot, {name: at_s for name, at_s in board_of(path).items() if name in KERNEL})
    assert {*LOADERS, "usable"}.isdisjoint(mark.name for mark in boot.marks)


@pytest.mark.parametrize("form", ["kernel", "dmesg", "dmesg-x", "dmesg-json", "tio", "lava"])
def test_initcalls(form: str) -> None:
    _, imported = read(LOGS / f"{form}-camera.log")
    spans = {span.name: span.duration_ns for span in imported.boots[0].spans}
    assert spans == {"cpu_suspend_init": 12_000, "imx_uart_init": 51_600_000}


@pytest.mark.parametrize("form", ["lava", "lava-old"])
def test_a_job_of_lava_says_when_the_board_was_reset(form: str) -> None:
    reset = boot_of(LOGS / f"{form}-router.log", "lava").mark("reset")
    assert reset is not None
    assert reset.source == "command" and 0 < reset.precision_ns <= 2e9


STEPS = {
    "tio-pc": {
        **{"init": 0.1, "initramfs-start": 1.0, "sysinit": 1.3, "multi-user": 1.0},
        "after-multi-user": 0.23,
    },
    "dmesg-router": {"init": 0.54, "procd-preinit": 0.7, "procd-ubus": 0.2},
    "kernel-router": {"init": 0.54, "procd-preinit": 0.7, "procd-ubus": 0.2},
    "tio-camera": {"init": 1.44, "Starting-sshd": 0.73},
}


@pytest.mark.parametrize("name", STEPS)
def test_the_lines_of_a_service_manager_are_steps(name: str) -> None:
    _, imported = read(LOGS / f"{name}.log", usable="login:|br-lan|Please press")
    (boot,) = imported.boots
    hold(boot)
    steps = cut_userspace(boot)
    found = {row.name.removeprefix("boot.userspace."): row.duration_ns / 1e9 for row in steps}
    assert {key: found.get(key) for key in STEPS[name]} == pytest.approx(STEPS[name], abs=0.05)
    (whole,) = (row for row in cut_phases(boot) if row.name == "boot.userspace")
    assert sum(row.duration_ns for row in steps) == whole.duration_ns


@pytest.mark.parametrize("form", ["tio", "minicom-ms", "ts-epoch", "grabserial", "lava"])
def test_services_are_spans(form: str) -> None:
    _, imported = read(LOGS / f"{form}-pc.log")
    (service,) = imported.boots[0].spans
    assert (service.kind, service.name) == ("service", "networking.service")
    assert service.duration_ns / 1e9 == pytest.approx(1.4, abs=0.05)


@pytest.mark.parametrize(
    ("form", "phases"),
    [
        ("tio-pc", ["boot.firmware.printed", "boot.kernel", "boot.userspace"]),
        ("kernel-pc", ["boot.kernel", "boot.userspace"]),
        ("dmesg-pc", ["boot.kernel"]),
        (
            "tio-router",
            [
                *("boot.bootloader.printed", "boot.delay"),
                *("boot.kernel.load+kernel.init+root.mount", "boot.userspace"),
            ],
        ),
        (
            "lava-router",
            [
                *("boot.bootloader", "boot.delay"),
                *("boot.kernel.load+kernel.init+root.mount", "boot.userspace"),
            ],
        ),
    ],
)
def test_the_phases_of(form: str, phases: list[str]) -> None:
    _, imported = read(LOGS / f"{form}.log")
    assert [row.name for row in cut_phases(imported.boots[0])] == phases


def test_the_facts_of_a_board() -> None:
    _, imported = read(LOGS / "tio-camera.log")
    assert imported.facts["board"] == "Example Camera 5"
    assert imported.facts["kernel"].startswith("Linux version 6.6.32")
