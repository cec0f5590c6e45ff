# SPDX-License-Identifier: Apache-2.0
"""The limits of a timed boot, by made-up counters of verdex's model."""

import json

import pytest

from perfboard.analysis.boot.bounds.timed import TimedBoard, timed_limits, unpacking_s
from perfboard.analysis.boot.medium import with_medium_found
from perfboard.analysis.boot.phases import cut_boot
from perfboard.analysis.boot.record import boot_record
from perfboard.boards.loader import load_board
from perfboard.model.board.disk import Disk, DiskTransfer, Ready
from perfboard.model.results.boot import Boot
from perfboard.model.results.limits import LimitPart, LimitsResult
from tests.support.runs import MARKS, make_boot

TIMING = load_board("verdex").board.timing
assert TIMING is not None
MS = 10**12  # fs


def counters(at: str, **waits: int) -> dict[str, int]:
    """All of the time busy, but for what `idle` says, in ms."""
    idle = waits.pop("idle", 0)
    busy = MARKS[at] * 10**6 - idle * MS
    found = {f"{name}_fs": ms * MS for name, ms in waits.items()}
    return {"instructions": MARKS[at] // 8, "cycles_fs": busy, **found}


COUNTED = {
    "kernel.entry": counters("kernel.entry", flash=103),
    "kernel.sched_init": counters("kernel.sched_init", flash=103),
    "kernel.prepare_namespace": counters("kernel.prepare_namespace", flash=103, uart=200, idle=20),
    "init.exec": counters("init.exec", flash=103, uart=200, idle=20),
    "usable": counters("usable", flash=206, uart=200, device=3, idle=20),
}
PRINTED = {"kernel.sched_init": 100, "kernel.prepare_namespace": 2404}


def limits() -> LimitsResult:
    assert TIMING is not None
    board = TimedBoard(
        TIMING.at({"flash": "tuned"}),
        levels={"compression": "gzip", "console": "full", "bootdelay": "3"},
        faster={"--set flash=cached": TIMING.at({"flash": "cached"})},
        baud=115200,
        kernel_bytes=2_000_000,
        unpacked_bytes=5_000_000,
    )
    found = timed_limits([make_boot(counted=COUNTED, printed=PRINTED)], board)
    assert found is not None
    return found


def cut_named(boot: Boot) -> list[tuple[str, int]]:
    return [(row.name, row.duration_ns) for row in cut_boot(boot)]


def part(found: LimitsResult, cause: str, phase: str) -> LimitPart:
    (only,) = (each for each in found.parts if (each.cause, each.phase) == (cause, phase))
    return only


def test_the_parts_are_the_boot_and_the_largest_saving_comes_first() -> None:
    found = limits()
    assert sum(each.seconds for each in found.parts) == pytest.approx(MARKS["usable"] / 1e9)
    assert found.total_s == pytest.approx(MARKS["usable"] / 1e9)
    assert found.bound_s == pytest.approx(sum(each.bound_s for each in found.parts))
    savings = [each.saving_s for each in found.parts]
    assert savings == sorted(savings, reverse=True) and min(savings) >= 0


def test_what_is_printed_could_be_nothing() -> None:
    console = part(limits(), "console", "boot.kernel.init")
    assert (console.seconds, console.bound_s) == (0.2, 0)
    assert "2.25 KiB went out at 115200 baud" in console.why
    assert console.advice == "--set console=quiet"


def test_flash_is_read_at_the_fastest_set_up() -> None:
    """0.103 s are 200 kB at 515 ns a byte; the cached set-up takes 1.436 us a line of 32 bytes."""
    read = part(limits(), "storage", "boot.userspace")
    assert read.seconds == pytest.approx(0.103)
    assert read.bound_s == pytest.approx(200_000 * 1.436e-6 / 32)
    assert read.advice == "--set flash=cached"


def test_unpacking_is_as_fast_as_memory() -> None:
    """Of lines of 32 bytes a read takes 140 ns and a write 100 ns."""
    assert TIMING is not None
    least = unpacking_s(TIMING, 2_000_000, 5_000_000)
    assert least == pytest.approx((2e6 * 140e-9 + 5e6 * 100e-9) / 32)
    unpack = part(limits(), "decompression", "boot.kernel.load.decompress")
    assert unpack.bound_s == pytest.approx(least)
    assert unpack.seconds == pytest.approx(0.487590784)


def test_idle_time_and_devices() -> None:
    found = limits()
    assert part(found, "idle", "boot.kernel.init").bound_s == 0
    device = part(found, "device", "boot.userspace")
    assert not device.known and device.bound_s == device.seconds == pytest.approx(0.003)


def test_a_countdown_is_a_wait_and_no_work() -> None:
    late = 3_000_000_000
    moved = {
        name: {**at, "cycles_fs": at["cycles_fs"] + late * 10**6,
               "instructions": at["instructions"] + late // 8}
        for name, at in COUNTED.items()
    }  # fmt: skip
    boot = make_boot({"boot.command": late}, counted=moved, printed=PRINTED)
    assert TIMING is not None
    found = timed_limits([boot], TimedBoard(TIMING.at({"flash": "tuned"})))
    assert found is not None
    stretch = "boot.bootloader+delay+kernel.load.copy"
    wait = part(found, "wait", stretch)
    assert wait.seconds == pytest.approx(3, rel=1e-4) and wait.bound_s == 0
    assert part(found, "processor", stretch).seconds < 0.2


def test_a_card_is_read_at_its_rate_and_is_there_when_it_is() -> None:
    """The bootloader waits for it, and so does the kernel, whose driver might have come first."""
    assert TIMING is not None
    wait_ns = 30_000_000
    boot = with_medium_found(make_boot(counted=COUNTED, printed=PRINTED), wait_ns)
    assert dict(cut_named(boot))["boot.kernel.load.medium"] == wait_ns
    card = Disk(
        size=1 << 20,
        transfer=DiskTransfer(rate=1_000_000, source="a test of this kind", kind="assumed"),
        ready=Ready(after_ms=30, source="a test of this kind", kind="assumed"),
    )
    found = timed_limits([boot], TimedBoard(TIMING, card=card))
    assert found is not None
    stretch = "boot.bootloader+delay+kernel.load.copy"
    read, waited = sorted(
        (each for each in found.parts if (each.cause, each.phase) == ("storage", stretch)),
        key=lambda each: -each.seconds,
    )
    assert read.seconds == read.bound_s == pytest.approx(0.103)
    assert "100.6 KiB read, at 1.000 MB/s" in read.why
    assert waited.seconds == waited.bound_s == wait_ns / 1e9
    assert sum(each.seconds for each in found.parts) == pytest.approx(MARKS["usable"] / 1e9)


def test_the_kernel_waits_for_a_card_no_less_than_it_takes() -> None:
    assert TIMING is not None
    slow = 100_000_000
    counted = {
        name: at | {"cycles_fs": at["cycles_fs"] - 80 * MS * (name in ("init.exec", "usable"))}
        for name, at in COUNTED.items()
    }
    ready = Ready(after_ms=100, source="a test of this kind", kind="assumed")
    transfer = DiskTransfer(rate=slow, source="a test of this kind", kind="assumed")
    board = TimedBoard(TIMING, card=Disk(size=1 << 20, transfer=transfer, ready=ready))
    found = timed_limits([make_boot(counted=counted, printed=PRINTED)], board)
    assert found is not None
    idle = part(found, "idle", "boot.root.mount")
    kernel_s = sum(each.bound_s for each in found.parts if each.phase == "boot.kernel.init")
    assert idle.seconds == pytest.approx(0.08)
    assert idle.bound_s == pytest.approx(0.1 - kernel_s) and 0.02 < kernel_s < 0.1
    assert "100.0 ms after its driver starts" in idle.why


def test_what_a_card_is_waited_for_while_scripts_run_could_be_read_before() -> None:
    assert TIMING is not None
    counted = {
        name: at | {"cycles_fs": at["cycles_fs"] - 40 * MS * (name == "usable")}
        for name, at in COUNTED.items()
    }
    boot, card = make_boot(counted=counted, printed=PRINTED), Disk(size=1 << 20)
    one_after_the_other = {"readahead": "none", "init": "sequence"}
    advice = {}
    for root in ("squashfs", "initramfs"):
        board = TimedBoard(TIMING, card=card, levels={**one_after_the_other, "root": root})
        found = timed_limits([boot], board)
        assert found is not None
        advice[root] = part(found, "idle", "boot.userspace").advice
    assert advice == {"squashfs": "--set readahead=boot", "initramfs": ""}


def test_a_boot_without_counters_has_no_limits() -> None:
    assert TIMING is not None
    assert timed_limits([make_boot()], TimedBoard(TIMING)) is None
    assert timed_limits([], TimedBoard(TIMING)) is None


def own_kernel(*seen: tuple[str, int, int]) -> Boot:
    """A boot that the scope saw these marks of, each with its ms and those that it was busy."""
    text = b"login:"
    records: list[dict[str, object]] = [
        {
            "mark": name,
            "ns": ms * 10**6,
            "instructions": ms,
            "counters": {"instructions": 1000 * ms, "cycles_fs": busy * MS},
        }
        for name, ms, busy in seen
    ]
    records.append({"console": [7_506_000_000, 7506] * len(text)})
    scope = "\n".join(json.dumps(record) for record in records)
    return boot_record(scope, text, "login:", 8, None)


def limits_of_own(*seen: tuple[str, int, int]) -> LimitsResult:
    assert TIMING is not None
    found = timed_limits([own_kernel(*seen)], TimedBoard(TIMING))
    assert found is not None
    return found


def test_what_was_not_counted_has_no_bound() -> None:
    """Without a System.map the last mark of the scope is the kernel's entry."""
    found = limits_of_own(("kernel.entry", 19, 19))
    assert found.total_s == pytest.approx(7.506)
    (rest,) = (each for each in found.parts if each.seconds > 1)
    assert not rest.known and rest.seconds == pytest.approx(7.487)
    assert rest.title.startswith("decompression") and rest.title.endswith("user space")
    assert "System.map" in rest.advice
    assert found.bound_s > 7.487


def test_what_comes_after_the_last_count_is_not_idle() -> None:
    marks = ("kernel.sched_init", "kernel.prepare_namespace", "init.exec")
    seen = [
        ("kernel.entry", 19, 19),
        *((name, 100 * n, 100 * n) for n, name in enumerate(marks, 1)),
    ]
    found = limits_of_own(*seen, ("switch", 4506, 4006))
    assert part(found, "idle", "boot.userspace").seconds == pytest.approx(0.5)
    rest = part(found, "other", "boot.userspace")
    assert not rest.known and rest.seconds == pytest.approx(3.0)
    assert sum(each.seconds for each in found.parts) == pytest.approx(7.506)
