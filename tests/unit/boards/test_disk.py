# SPDX-License-Identifier: Apache-2.0
"""Boards that boot from a disk: what is accepted of them, and what their kernel is told."""

import re
from pathlib import Path

import pytest

from perfboard.bench.boot.virtual import marks_to_watch
from perfboard.boards.loader import load_board
from perfboard.boards.scope_text import timing_text
from perfboard.images.disk import check_disk_holds, kernel_arguments
from perfboard.images.image import Image
from perfboard.images.root.recipe import RootRecipe
from perfboard.model.errors import UsageError
from tests.support.board_files import SETTOP, VERDEX, disk_board, refusal

BOARDS = ("settop-web", "settop-media", "converter", "bifferboard")


def told(arguments: str) -> dict[str, str]:
    """What a command line says of the disk."""
    return dict(re.findall(r"perfboard_disk\.(\w+)=(\S+)", arguments))


@pytest.mark.parametrize("name", BOARDS)
def test_the_disk_lies_behind_the_memory_that_the_kernel_has(name: str) -> None:
    board = disk_board(name)
    words = kernel_arguments(board, True, ("quiet",), RootRecipe()).split()
    assert f"mem={board.machine.ram // 1024}K" in words and "quiet" in words
    found = told(" ".join(words))
    assert int(found["base"], 16) == board.machine.ram
    assert int(found["size"]) == board.disk.size


def test_the_kernel_is_told_of_the_disks_times_where_the_board_is_timed() -> None:
    board = disk_board("settop-web")
    found = told(kernel_arguments(board, True, (), RootRecipe()))
    assert found["revolution"] == "11111111"
    assert (found["track"], found["average"], found["full"]) == ("2500", "12000", "22000")
    assert (found["transfer"], found["overhead"], found["buffer"]) == ("7000000", "500", "65536")
    assert told(kernel_arguments(board, False, (), RootRecipe())).keys() == {
        "base",
        "size",
    }


def test_a_stick_takes_its_time_to_be_there_and_does_not_seek() -> None:
    board = disk_board("bifferboard")
    found = told(kernel_arguments(board, True, (), RootRecipe()))
    assert found["ready"] == "5000000"
    assert not found.keys() & {"track", "revolution"}


def test_no_figure_that_checks_a_disk_sets_it() -> None:
    board = disk_board("bifferboard")
    transfer = board.disk.transfer
    assert transfer is not None and "bonnie" not in transfer.source
    rates = {round(row.value) for row in board.published if row.unit == "B/s"}
    # Whatever reaches an application has come by the medium, at its rate at least.
    reads = next(row.value for row in board.published if row.metric.endswith("read.bandwidth"))
    assert transfer.rate > reads and not rates & {transfer.rate, transfer.write_rate}


def test_a_root_larger_than_the_disk_is_refused() -> None:
    disk = disk_board("settop-web").disk
    check_disk_holds(disk, disk.size)
    with pytest.raises(UsageError, match=r"disk.size: .* make the disk larger"):
        check_disk_holds(disk, disk.size + 1)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('size = "16 MiB"', "size = 100", "disk: size is 100; give a multiple of 4096"),
        ('size = "16 MiB"', "", "disk.size: is missing"),
        (
            'size = "16 MiB"',
            "size = 4096\ndata = 100",
            "disk: data is 100; give a multiple of 4096",
        ),
        (
            'size = "16 MiB"',
            'size = 4096\ndata = "4 GiB"',
            "seek.capacity is 2100000000, less than",
        ),
        ("rate = 7_000_000", "rate = 0", "disk.transfer.rate: found 0; give greater"),
        ("rate = 7_000_000", "rate = -1", "disk.transfer.rate: found -1; give greater"),
        ("overhead_ms = 0.5", "overhead_ms = -0.5", "disk.transfer.overhead_ms: found -0.5"),
        ("overhead_ms = 0.5", "overhead_ms = nan", "disk.transfer.overhead_ms: found NaN"),
        ("track_ms = 2.5", "track_ms = 13", "are not in the order of the distance"),
        ("capacity = 2_100_000_000", "capacity = 4096", "seek.capacity is 4096, less than"),
        ("rpm = 5400", "rpm = 0", "disk.rotation.rpm: found 0; give greater"),
        ("[disk.rotation]", "[disk.spin]", "disk.spin: is not a key"),
        ("rpm = 5400\nsource", "rpm = 5400\n# source", "disk.rotation.source: is missing"),
        ("[disk.rotation]\nrpm = 5400", "[disk.ready]\nafter_ms = 1e9", "disk.ready.after_ms"),
        ("[disk.transfer]", "[disk.transfers]", "disk.transfers: is not a key"),
        ("qemu-system-i386", "qemu-system-arm", "qemu-system-arm boots from flash"),
        ('access = "1 us"', 'access = "-1 us"', "timing.ports.access: "),
    ],
)
def test_a_wrong_disk_is_told_by_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SETTOP
    assert said in refusal(tmp_path, SETTOP.replace(old, new, 1))


def test_a_board_without_flash_wants_a_disk(tmp_path: Path) -> None:
    start, end = SETTOP.index("[disk]"), SETTOP.index("[facts]")
    assert "needs a disk for image" in refusal(tmp_path, SETTOP[:start] + SETTOP[end:])


def test_ports_are_of_x86_alone(tmp_path: Path) -> None:
    ports = SETTOP[SETTOP.index("[timing.ports]") : SETTOP.index("[timing.uart]")]
    assert "has no ports" in refusal(tmp_path, VERDEX + ports)


def test_what_an_image_says_is_reached_is_watched_beside_its_kernels_functions() -> None:
    functions = "start_kernel sched_init rest_init prepare_namespace run_init_process bprm_execve"
    image = Image(
        banks=(),
        kernel_file=Path("bzImage"),
        entries={"boot.command": 0x10200, "kernel.entry": 0x10200},
        symbols=dict.fromkeys(functions.split(), 0xC1000000),
        notes=(),
        hashes={},
        packages={},
    )
    watched = marks_to_watch(load_board("settop-web").board, image)
    marks = {mark.name: mark.address for mark in watched}
    assert marks["boot.command"] == marks["kernel.entry"] == 0x10200
    assert marks["kernel.sched_init"] == 0xC1000000


def test_a_cache_for_code_and_data_is_one_of_the_model() -> None:
    text = timing_text(load_board("converter").board, {"detail": "timed"})
    assert text is not None
    assert text.startswith("isa x86\n")
    lines = text.splitlines()
    assert {"caches.l1.size 8192", "caches.l1.write through"} < set(lines)
    assert not any(line.startswith(("caches.l1i", "caches.l1d")) for line in lines)
    assert "ports.access 66667" in lines
