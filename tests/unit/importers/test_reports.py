# SPDX-License-Identifier: Apache-2.0
"""What bootloaders and systemd say of a boot: marks, and what each stage or service took."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.phases import cut_boot, cut_phases
from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer, importers
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot
from tests.support.boots import hold
from tests.support.recorded import DATA

FILES = DATA / "import" / "reports"
FORMATS = {
    "barebox.txt": "barebox",
    "bootstage.txt": "bootstage",
    "cbmem.txt": "cbmem",
    "fpdt.txt": "fpdt",
    "k3.txt": "k3",
    "plot.svg": "systemd-plot",
    "journal.json": "journal",
    "systemd-analyze.txt": "systemd-analyze",
}


def read(name: str, usable: str = "") -> tuple[FileContent, Boot]:
    file = SavedFile(FILES / name)
    importer = choose_importer(file, "")
    assert importer.name == FORMATS[name]
    imported = importer.read(file, ImportOptions(usable=usable))
    (boot,) = imported.boots
    hold(boot)
    return imported, boot


def milliseconds(boot: Boot) -> dict[str, float]:
    return {mark.name: mark.t_ns / 1e6 for mark in boot.marks}


def phases(boot: Boot) -> dict[str, float]:
    return {phase.name: (phase.end.t_ns - phase.start.t_ns) / 1e9 for phase in cut_phases(boot)}


def test_u_boots_stages_are_marks_and_times() -> None:
    imported, boot = read("bootstage.txt")
    assert milliseconds(boot) == {
        "reset": 0.0,
        "stage:SPL": 224.787,
        "stage:U-Boot": 554.787,
        "bootloader.main": 1480.113,
        "boot.command": 3480.913,
        "kernel.entry": 3991.237,
    }
    times = {metric.labels["stage"]: metric.samples for metric in imported.metrics}
    assert times["5: board_init_r"] == (0.403342,) and len(times) == 9
    assert phases(boot)["boot.delay"] == 2.0008
    steps = {row.name: row.duration_ns / 1e6 for row in cut_boot(boot) if row.depth}
    assert steps["boot.bootloader.rom"] == 224.787
    assert steps["boot.bootloader.spl"] == 330.0
    assert steps["boot.bootloader.u-boot"] == pytest.approx(925.326)


TREE = """/dts-v1/;
/ {
    model = "Example Camera 5";
    bootstage {
        1 { name = "main_loop"; mark = <1480113>; };
        0 { name = "reset"; mark = <0>; };
        2 { name = "dm_f"; accum = <22132>; };
        3 { name = "SPL"; mark = <224787>; };
    };
};
"""


@pytest.mark.skipif(shutil.which("dtc") is None, reason="dtc is not installed")
def test_u_boots_stages_in_the_device_tree(tmp_path: Path) -> None:
    path = tmp_path / "fdt"
    command = ["dtc", "-q", "-f", "-I", "dts", "-O", "dtb", "-o", str(path)]
    subprocess.run(command, input=TREE.encode(), check=True)
    importer = choose_importer(file := SavedFile(path), "")
    assert importer.name == "bootstage-tree"
    imported = importer.read(file, ImportOptions())
    assert milliseconds(imported.boots[0]) == {
        "reset": 0,
        "stage:SPL": 224.787,
        "bootloader.main": 1480.113,
    }
    times = {metric.labels["stage"]: metric.samples for metric in imported.metrics}
    assert times["3: main_loop"] == (1.255326,) and len(times) == 3
    data = path.read_bytes()
    for cut in range(0, len(data), 7):
        path.write_bytes(data[:cut])
        with pytest.raises(UsageError, match=r"fdt: (?:its device tree|it is no)"):
            importer.read(SavedFile(path), ImportOptions())


def test_bareboxs_own_log_is_stages() -> None:
    imported, boot = read("barebox.txt")
    assert milliseconds(boot) == {"stage:barebox": 118.0}
    times = {metric.labels["stage"]: metric.samples for metric in imported.metrics}
    assert times["4: mdio_bus: miibus0: probed"] == (0.152841,) and len(times) == 6


def test_a_later_report_of_a_console_counts(tmp_path: Path) -> None:
    path = tmp_path / "twice.txt"
    path.write_bytes((FILES / "bootstage.txt").read_bytes() * 2)
    found = importers()["bootstage"].read(SavedFile(path), ImportOptions())
    assert len(found.metrics) == 9


def test_coreboots_time_is_the_firmwares() -> None:
    imported, boot = read("cbmem.txt")
    assert phases(boot) == {"boot.firmware": 0.63198}
    (memory,) = (m for m in imported.metrics if "after RAM" in m.labels["stage"])
    assert memory.samples == (0.2,)


def test_coreboots_time_counts_from_the_engine_before_it(tmp_path: Path) -> None:
    path = tmp_path / "cbmem.txt"
    path.write_text(
        "4 entries total:\n\n"
        "  990:CSME ROM started execution                        0\n"
        "  947:CSE received 'CPU Reset Done Ack sent' from PMC   191,000 (191,000)\n"
        "    0:1st timestamp                                     226,794 (35,794)\n"
        " 1101:jumping to kernel                                 1,142,626 (915,832)\n"
    )
    (boot,) = importers()["cbmem"].read(SavedFile(path), ImportOptions()).boots
    assert phases(boot) == {"boot.firmware": 1.142626}


def test_uefis_times_end_with_its_services() -> None:
    imported, boot = read("fpdt.txt")
    assert phases(boot) == {"boot.firmware": pytest.approx(4.287001)}
    times = {metric.labels["stage"]: metric.samples for metric in imported.metrics}
    assert times["4: bootloader_launch_ns"] == (0.014445,)


def test_the_k3_loaders_times_are_stages() -> None:
    imported, boot = read("k3.txt")
    assert milliseconds(boot) == {"stage:SBL": 0, "stage:application": 31.988}
    times = {metric.labels["stage"]: metric.samples for metric in imported.metrics}
    assert times["2: System_init"] == (0.024222,)


def test_the_picture_of_systemd_has_the_same_times() -> None:
    """A picture by hand, in the form of systemd's analyze-plot.c."""
    _, boot = read("plot.svg")
    assert milliseconds(boot) == {
        "reset": 0,
        "kernel.entry": 2000,
        "firmware.end": 2000,
        "kernel.clock": 2000,
        "init.exec": 3000,
        "step:initramfs": 3000,
        "step:system": 3600,
        "usable": 7000,
    }
    (span,) = boot.spans
    assert (span.name, span.start_ns, span.duration_ns) == (
        "systemd-udevd.service",
        3_850_000_000,
        402_500_000,
    )


def test_bars_in_an_order_that_no_boot_has_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    text = (FILES / "plot.svg").read_text()
    path.write_text(
        text.replace('x="0.000" y="40.000" width="100', 'x="0.000" y="40.000" width="1000')
    )
    with pytest.raises(UsageError, match="in their order"):
        importers()["systemd-plot"].read(SavedFile(path), ImportOptions())


def test_systemd_analyze_has_phases_and_services() -> None:
    imported, boot = read("systemd-analyze.txt")
    found = phases(boot)
    assert found["boot.firmware"] == pytest.approx(4.353)
    assert found["boot.kernel"] == pytest.approx(2.53)
    # The target of graphical.target, a little before all has ended.
    assert found["boot.userspace"] == pytest.approx(4.1 + 61.9)
    services = {span.name: span.duration_ns / 1e9 for span in boot.spans}
    assert services["NetworkManager-wait-online.service"] == 61.002
    assert services["tmp.mount"] == 0.012
    assert "rounded" in imported.notes[0]


def test_times_longer_than_any_boot_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "times.txt"
    path.write_text("    350y systemd-udevd.service\n12ms tmp.mount\n")
    (boot,) = importers()["systemd-analyze"].read(SavedFile(path), ImportOptions()).boots
    assert [span.name for span in boot.spans] == ["tmp.mount"]
    path.write_text("Startup finished in 350y (kernel) + 1s (userspace) = 350y\n12ms tmp.mount\n")
    (boot,) = importers()["systemd-analyze"].read(SavedFile(path), ImportOptions()).boots
    assert not boot.marks and len(boot.spans) == 1


CHAIN = """\
The time when unit became active or started is printed after the "@" character.
The time the unit took to start is printed after the "+" character.

graphical.target @1min 1.900s
└─multi-user.target @1min 1.900s
  └─NetworkManager-wait-online.service @898ms +1min 1.002s
    └─dbus.socket @554ms
      └─boot-efi.mount @292ms +251ms
        └─systemd-fsck@dev-disk-by\\x2duuid-C6A1\\x2d0DF8.service @149ms +126ms
          └─system.slice
"""


def test_the_critical_chain_says_when_its_units_started(tmp_path: Path) -> None:
    path = tmp_path / "chain.txt"
    path.write_text(CHAIN)
    file = SavedFile(path)
    assert choose_importer(file, "").name == "systemd-analyze"
    (boot,) = importers()["systemd-analyze"].read(file, ImportOptions()).boots
    assert [(span.name.partition("@")[0], span.start_ns) for span in boot.spans] == [
        ("NetworkManager-wait-online.service", None),
        ("boot-efi.mount", None),
        ("systemd-fsck", None),
    ]
    path.write_text((FILES / "systemd-analyze.txt").read_text() + CHAIN)
    (boot,) = importers()["systemd-analyze"].read(SavedFile(path), ImportOptions()).boots
    starts = {span.name: span.start_ns for span in boot.spans}
    # Behind firmware, loader, kernel and initramfs.
    assert starts["boot-efi.mount"] == 10_983_000_000 + 292_000_000
    assert starts["tmp.mount"] is None and len(starts) == 6


def test_systemd_analyze_without_firmware_begins_with_the_kernel(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Startup finished in 800ms (kernel) + 1.5s (userspace) = 2.3s\n")
    (boot,) = importers()["systemd-analyze"].read(SavedFile(path), ImportOptions()).boots
    assert milliseconds(boot) == {"kernel.clock": 0.0, "init.exec": 800.0, "usable": 2300.0}


def test_the_journal_is_a_kernels_log_with_services() -> None:
    _, boot = read("journal.json", usable="my-app: ready")
    found = milliseconds(boot)
    assert found["kernel.clock"] == 0
    assert found["init.exec"] == pytest.approx(906.0)
    assert found["usable"] == pytest.approx(3401.0)
    services = {span.name: span.duration_ns / 1e6 for span in boot.spans}
    assert services["systemd-udevd.service"] == pytest.approx(400.0)


def test_a_journal_of_two_boots_is_refused(tmp_path: Path) -> None:
    text = (FILES / "journal.json").read_text()
    path = tmp_path / "two.json"
    path.write_text(text + text.replace("0" * 31 + "1", "0" * 31 + "2"))
    with pytest.raises(UsageError, match=r"journal of 2 boots; store one"):
        importers()["journal"].read(SavedFile(path), ImportOptions())


@given(st.sampled_from(sorted(FORMATS)), st.data())
def test_whatever_is_changed_in_a_file_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    text = bytearray((FILES / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=12))
    path = tmp_path_factory.mktemp("changed") / name
    path.write_bytes(text)
    try:
        imported = importers()[FORMATS[name]].read(SavedFile(path), ImportOptions())
    except UsageError:
        return
    for boot in imported.boots:
        hold(boot)
