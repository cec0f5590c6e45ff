# SPDX-License-Identifier: Apache-2.0
"""The boots in a log: several, cut ones, stamps that go back, and what is then absent."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from perfboard.analysis.boot.metrics import metrics_of
from perfboard.analysis.boot.phases import cut_phases, total
from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer, importers
from perfboard.importers.consoles.lines import MOST_LINES
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot
from tests.support.boots import hold

Log = list[tuple[float, str]]
LOADER: Log = [
    (0.0, "U-Boot 2024.01 (Jan 01 2024)"),
    (0.5, "Hit any key to stop autoboot:  0 "),
    (0.6, "Starting kernel ..."),
]


def kernel(zero_s: float) -> Log:
    records = [
        (0.0, "Linux version 6.6.1 (a@b)"),
        (0.3, "random: crng init done"),
        (0.6, "clocksource: Switched to clocksource tsc"),
        (1.0, "Freeing unused kernel memory: 1K"),
        (1.1, "Run /sbin/init as init process"),
    ]
    return [(zero_s + t, f"[{t:12.6f}] {text}") for t, text in records]


ONE: Log = [*LOADER, *kernel(1.0), (4.0, "box login: ")]


def later(log: Log, seconds: float) -> Log:
    return [(t + seconds, text) for t, text in log]


def tio(log: Iterable[tuple[float, str]]) -> str:
    lines = []
    for t, text in log:
        minutes, seconds = divmod(t, 60)
        hours, minutes = divmod(int(minutes), 60)
        lines.append(f"[{hours % 24:02d}:{minutes:02d}:{seconds:06.3f}] {text}\r\n")
    return "".join(lines)


def bare(log: Iterable[tuple[float, str]]) -> str:
    return "".join(f"{text}\r\n" for _, text in log)


def read(folder: Path, text: str, usable: str = "", format: str = "") -> FileContent:
    path = folder / "boot.log"
    path.write_bytes(text.encode())
    file = SavedFile(path)
    found = choose_importer(file, format).read(file, ImportOptions(usable=usable))
    for boot in found.boots:
        hold(boot)
    return found


def seconds(boot: Boot) -> dict[str, float]:
    found = total(boot)
    rows = [*cut_phases(boot), *([found] if found else [])]
    return {row.name: row.duration_ns / 1e9 for row in rows}


def notes(found: FileContent) -> str:
    return " ".join(found.notes)


def test_each_boot_of_a_log_counts(tmp_path: Path) -> None:
    log = [*later(ONE, 3), (10.0, "root"), *later(ONE, 20), *later(ONE, 40)]
    found = read(tmp_path, tio(log))
    assert [seconds(boot)["boot.printed"] for boot in found.boots] == pytest.approx([4.0] * 3)


def test_a_boot_behind_a_restart_has_its_reset(tmp_path: Path) -> None:
    log = [*ONE, (8.0, "[   7.000000] reboot: Restarting system"), *later(ONE, 9)]
    first, second = read(tmp_path, tio(log)).boots
    assert seconds(first)["boot.printed"] == pytest.approx(4.0, abs=0.01)
    assert seconds(second)["boot.total"] == pytest.approx(5.0, abs=0.01)
    reset = second.mark("reset")
    assert reset is not None and reset.precision_ns == pytest.approx(1e9, rel=0.01)


def test_a_prompt_of_the_session_before_is_no_boot(tmp_path: Path) -> None:
    log = [(0.0, "box login: "), (5.0, "box login: "), *later(ONE, 9)]
    (boot,) = read(tmp_path, tio(log)).boots
    assert seconds(boot)["boot.printed"] == pytest.approx(4.0, abs=0.01)


def test_words_of_the_session_before_are_not_firmware(tmp_path: Path) -> None:
    log = [(0.0, "root@box:~# "), *later(ONE, 300)]
    (boot,) = read(tmp_path, tio(log)).boots
    assert seconds(boot)["boot.printed"] == pytest.approx(4.0, abs=0.01)


def test_a_boot_that_did_not_come_to_be_usable_is_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, tio([*ONE, *later(ONE[:-2], 20)]))
    assert len(found.boots) == 1
    assert "has 1 more that did not come to be usable" in notes(found)


def test_a_board_that_starts_again_by_itself_has_an_earlier_boot(tmp_path: Path) -> None:
    (boot,) = read(tmp_path, tio([*ONE[:-2], *later(ONE, 7)])).boots
    assert seconds(boot)["boot.earlier.printed"] == pytest.approx(7.0, abs=0.01)
    assert seconds(boot)["boot.userspace"] == pytest.approx(1.9, abs=0.01)


def test_a_log_that_begins_in_the_middle(tmp_path: Path) -> None:
    found = read(tmp_path, tio(later(ONE[5:], 100)))
    (boot,) = found.boots
    assert seconds(boot)["boot.kernel"] == pytest.approx(1.1, abs=0.01)
    assert seconds(boot)["boot.userspace"] == pytest.approx(1.9, abs=0.01)
    assert boot.mark("console.first") is None and "boot.printed" not in seconds(boot)
    assert "begins in the middle of a boot" in notes(found)


def test_midnight_is_no_step_back(tmp_path: Path) -> None:
    found = read(tmp_path, tio(later(ONE, 86_400 - 2)))
    assert seconds(found.boots[0])["boot.printed"] == pytest.approx(4.0, abs=0.01)
    assert "go back" not in notes(found)


def test_stamps_that_go_back_are_said(tmp_path: Path) -> None:
    log = [*ONE[:5], *later(ONE[5:], -1000)]
    found = read(tmp_path, tio(later(log, 5000)))
    assert "The stamps go back 1 times" in notes(found)


def test_two_sessions_in_one_file(tmp_path: Path) -> None:
    log = [*later(ONE, 5000), *later(ONE, 900)]
    found = read(tmp_path, tio(log))
    assert [seconds(boot)["boot.printed"] for boot in found.boots] == pytest.approx([4.0] * 2)


def test_no_usable_is_said(tmp_path: Path) -> None:
    found = read(tmp_path, tio(ONE[:-1]))
    assert list(seconds(found.boots[0])) == [
        *("boot.bootloader.printed", "boot.delay", "boot.kernel.load+kernel.init+root.mount"),
    ]
    assert "name one with --usable" in notes(found)


def test_a_usable_that_is_not_there_is_said(tmp_path: Path) -> None:
    found = read(tmp_path, tio(ONE), "no such line")
    assert "boot.printed" not in seconds(found.boots[0])
    assert "no time of a line that matches no such line" in notes(found)


def test_the_last_login_is_no_prompt(tmp_path: Path) -> None:
    found = read(tmp_path, tio([*ONE[:-1], (3.0, "Last login: Mon"), ONE[-1]]))
    assert seconds(found.boots[0])["boot.printed"] == pytest.approx(4.0, abs=0.01)


def test_a_prompt_behind_the_last_record_has_no_time(tmp_path: Path) -> None:
    found = read(tmp_path, bare(ONE))
    assert seconds(found.boots[0]) == {"boot.kernel": pytest.approx(1.1)}
    usable = found.boots[0].mark("usable")
    assert usable is not None
    assert (usable.t_ns, usable.from_ns, usable.to_ns) == (1_100_000_000, 1_100_000_000, None)


def test_a_prompt_before_a_record_came_between_two(tmp_path: Path) -> None:
    (boot,) = read(tmp_path, bare([*ONE, (5.0, "[    4.000000] random: x")])).boots
    usable = boot.mark("usable")
    assert usable is not None
    assert (usable.from_ns, usable.to_ns) == (1_100_000_000, 4_000_000_000)
    assert (usable.t_ns, usable.precision_ns) == (2_550_000_000, 1_450_000_000)
    (whole,) = [each for each in metrics_of([boot]) if each.name == "boot.logged"]
    assert not whole.samples and whole.between
    assert list(whole.between) == pytest.approx([1.1, 4.0], abs=1e-5)


def test_boots_on_the_kernels_clock_are_told_apart(tmp_path: Path) -> None:
    log = [*ONE, (5.0, "[    4.000000] random: x")] * 3
    found = read(tmp_path, bare(log))
    ends = [boot.mark("usable") for boot in found.boots]
    assert [end and end.to_ns for end in ends] == [4_000_000_000] * 3


def test_text_before_a_record_on_its_line_came_before_it(tmp_path: Path) -> None:
    glued = "box login: [   21.000000] usb 1-1: new high-speed USB device"
    (boot,) = read(tmp_path, bare([*ONE[:-1], (4.0, glued)])).boots
    usable = boot.mark("usable")
    assert usable is not None
    assert (usable.from_ns, usable.to_ns) == (1_100_000_000, 21_000_000_000)
    (boot,) = read(tmp_path, bare([*ONE[:-1], (4.0, glued.replace(" 21", "210"))])).boots
    usable = boot.mark("usable")
    assert usable is not None and usable.latest_ns is None


def test_a_prompt_on_which_a_record_came_much_later_shows_no_log(tmp_path: Path) -> None:
    glued = "box login: [  210.000000] usb 1-1: new high-speed USB device"
    (boot,) = read(tmp_path, tio([*kernel(1.0), (4.0, glued)])).boots
    assert seconds(boot)["boot.printed"] == pytest.approx(3.0, abs=0.01)


def test_a_kernel_that_panics_before_any_instant_is_a_boot(tmp_path: Path) -> None:
    log = [*kernel(1.0)[:1], (1.5, "Kernel panic - not syncing: VFS: Unable to mount root fs")]
    (error,) = read(tmp_path, tio(log)).errors
    assert error.kind == "panic"
    untimed = [(0.0, "Linux version 6.6.1 (a@b)"), log[1]]
    assert read(tmp_path, tio(untimed)).errors


def test_a_kernels_clock_may_begin_before_the_first_byte(tmp_path: Path) -> None:
    # Its first records were stored until its console ran, and no loader printed anything.
    times = (0.0, 0.1, 0.2, 0.3)
    stored = [(1.0 + t / 100, f"[{t:12.6f}] Linux version 6.6.1 {t}") for t in times]
    log = [*stored, *later(kernel(0.5)[2:], 0.2), (4.0, "box login: ")]
    (boot,) = read(tmp_path, tio(log)).boots
    assert boot.mark("kernel.clock") is None
    init = boot.mark("init.exec")
    assert init is not None and init.t_ns == pytest.approx(0.8e9, abs=2e6)
    assert not [note for note in boot.notes if "left out" in note or "jumped" in note]


def test_a_store_printed_on_a_slow_line_is_no_clock(tmp_path: Path) -> None:
    # 70 bytes take 73 ms: each stored record came when the line was free, not when it was stored.
    text = "x" * 50
    stored = [
        (1.5 + n * 0.073, f"[{0.07 * n:12.6f}] Linux version 6.6 {text[18:]}") for n in range(6)
    ]
    late = [(0.8 + t, f"[{t:12.6f}] {text}") for t in (1.2, 1.3, 1.5, 1.8)]
    enabled = [(1.94, "[    0.450000] printk: console [ttyS0] enabled")]
    log = [*LOADER, *stored, *enabled, *late, *kernel(0.8)[-2:], (4.0, "box login: ")]
    (boot,) = read(tmp_path, tio(sorted(log))).boots
    clock = boot.mark("kernel.clock")
    assert clock is not None and clock.earliest_ns <= 0.8e9 <= (clock.latest_ns or 0)


def test_a_store_begins_with_its_records_of_time_zero(tmp_path: Path) -> None:
    # The console runs 0.4 s after the clock began, at 2 s; a line takes 20 ms.
    times = (0.0, 0.0, 0.0, 0.0, 0.1, 0.4)
    texts = ["Linux version 6.6.1 (a@b)"] * 5 + ["printk: console [ttyS0] enabled"]
    stored = [
        (2.0 + n / 50, f"[{t:12.6f}] {text}")
        for n, (t, text) in enumerate(zip(times, texts, strict=True))
    ]
    (boot,) = read(tmp_path, tio([*LOADER, *stored])).boots
    clock = boot.mark("kernel.clock")
    assert clock is not None and clock.earliest_ns <= 1.6e9 <= (clock.latest_ns or 0)


def test_a_kernel_without_times_shows_when_it_freed_its_memory(tmp_path: Path) -> None:
    log = [(0.0, "Linux version 6.6.1 (a@b)"), (2.0, "Freeing unused kernel memory: 1K")]
    (boot,) = read(tmp_path, tio([*log, (2.5, "S0: starting"), (4.0, "box login: ")])).boots
    freed, init = boot.mark("kernel.freed"), boot.mark("init.exec")
    assert freed is not None and freed.t_ns == 2_000_000_000
    assert init is not None and init.earliest_ns <= 2.0e9 and (init.latest_ns or 0) >= 2.5e9


def test_a_stamp_at_a_lines_end_may_be_late_by_the_line(tmp_path: Path) -> None:
    # 9600 baud: a byte takes 1.04 ms.
    came, lines = 0.0, []
    for t in (0.0, *(0.1 + n / 10 for n in range(20))):
        record = f"[{t:12.6f}] {'Linux version 6.6' if not t else 'x: ' * 20}"
        came = max(came, t) + (len(record) + 2) / 960
        lines.append(f"{came + 5:.6f} {record}\n")
    log = ["5.000000 U-Boot 2024.01 (Jan 01 2024)\n", *lines]
    (boot,) = read(tmp_path, "".join(log)).boots
    clock = boot.mark("kernel.clock")
    assert clock is not None and clock.earliest_ns <= 0 and clock.precision_ns < 200e6


def test_whole_seconds_bound_init_by_as_much(tmp_path: Path) -> None:
    log = [*LOADER, *kernel(1.0)[:-1], (2.95, "S0: starting"), (4.0, "box login: ")]
    stamped = "".join(f"[2026-11-25 12:00:{int(t):02}] {text}\r\n" for t, text in log)
    (boot,) = read(tmp_path, stamped).boots
    init = boot.mark("init.exec")
    assert init is not None and init.latest_ns is not None
    assert init.earliest_ns <= 2.0e9 and init.latest_ns >= 2.95e9


def test_a_kernel_that_counts_from_another_instant(tmp_path: Path) -> None:
    based = [
        f"[{4294667.296 + float(line[1:13]):.6f}] {line[15:]}\n" for _, line in kernel(0.0)[1:]
    ]
    (boot,) = read(tmp_path, "".join(["[4294667.296000] Linux version 2.6.20\n", *based])).boots
    assert seconds(boot)["boot.kernel"] == pytest.approx(1.1)


ISO = [
    (f"2026-11-25T12:00:{t:09.6f}+00:00 ".replace(".", ","), text[15:]) for t, text in kernel(1.0)
]


def test_a_log_of_dmesg_without_its_beginning_has_no_kernel_phase(tmp_path: Path) -> None:
    whole = "".join(f"{stamp}{text}\n" for stamp, text in ISO)
    assert seconds(read(tmp_path, whole).boots[0]) == {"boot.kernel": pytest.approx(1.1)}
    found = read(tmp_path, "".join(f"{stamp}{text}\n" for stamp, text in ISO[1:]))
    assert seconds(found.boots[0]) == {}
    assert "does not begin with the kernel's first words" in notes(found)


def test_dmesg_with_minutes_is_read_until_the_next_one(tmp_path: Path) -> None:
    lines = [
        "[Nov25 12:34] Linux version 6.6.1 (a@b)",
        "[  +1.000000] Freeing unused kernel memory: 1K",
        "[  +0.100000] Run /sbin/init as init process",
        "[Nov25 12:35] random: x",
        "[  +5.000000] systemd[1]: Startup finished in 9s.",
    ]
    found = read(tmp_path, "\n".join(lines))
    assert seconds(found.boots[0]) == {"boot.kernel": pytest.approx(1.1)}
    assert "2 records after that are left out" in notes(found)


def test_grabserials_time_begins_again_at_its_marker(tmp_path: Path) -> None:
    """With -m, at the line behind the one that matched."""
    log = [*ONE[:3], *later(ONE[3:], -0.6)]
    text = "".join(f"[{t:.6f} 0.000001] {line}\n" for t, line in log)
    found = read(tmp_path, text)
    assert seconds(found.boots[0])["boot.printed"] == pytest.approx(4.0, abs=0.01)


def test_whole_seconds_are_as_rough_as_they_say(tmp_path: Path) -> None:
    text = "".join(f"[2026-11-25 12:00:{int(t):02d}] {line}\r\n" for t, line in ONE)
    found = read(tmp_path, text)
    whole = total(found.boots[0])
    assert whole is not None
    assert abs(whole.duration_ns - 4e9) <= whole.precision_ns
    assert "known to 1.000 s only" in notes(found)


def test_a_dmesg_that_is_shown_again_is_no_boot(tmp_path: Path) -> None:
    again = [(5.0, text) for _, text in kernel(0.0)]
    (boot,) = read(tmp_path, tio([*ONE, (4.5, "root"), *again, (6.0, "box login: ")])).boots
    assert seconds(boot)["boot.printed"] == pytest.approx(4.0, abs=0.01)


def test_a_log_with_too_many_lines_is_refused(tmp_path: Path) -> None:
    text = "".join(f"[12:00:00.000] {n}\n" for n in range(20)) + "\n" * MOST_LINES
    with pytest.raises(UsageError, match="has more than 1,000,000 lines; cut the boots out of it"):
        read(tmp_path, text)


def test_a_log_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "boot.log"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(UsageError, match="has more than 64 MiB, as no saved log has"):
        importers()["kernel"].read(SavedFile(path), ImportOptions())


@pytest.mark.parametrize(
    "line",
    ["[12:00:00.000] " + "x" * 300_000, "[12:00:00.000] " + "a\r" * 100_000, "\0" * 300_000],
)
def test_long_lines_are_read(tmp_path: Path, line: str) -> None:
    found = read(tmp_path, tio(ONE) + line + "\n", format="tio")
    assert seconds(found.boots[0])["boot.printed"] == pytest.approx(4.0, abs=0.01)
