# SPDX-License-Identifier: Apache-2.0
"""Packages put together to a root file system, and what a board is told to do with them."""

import re
import stat
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.boards.loader import load_board
from perfboard.host.cache.cache import cached
from perfboard.host.programs.native import native_folder
from perfboard.images.disk import kernel_arguments
from perfboard.images.packages.apt import AptState, Package
from perfboard.images.packages.root import (
    BASE,
    build_package_root,
    check_names,
    largest,
    squash_files,
)
from perfboard.images.program.base import (
    MOST_WORDS,
    ProgramJob,
    boot_arguments,
    check_job,
    check_room,
    lay_out,
    read_ahead,
    room_of,
    write_job,
)
from perfboard.images.root.recipe import RootRecipe
from perfboard.model.board.disk import Medium
from perfboard.model.board.virtual import DiskBoard, FlashBoard, VirtualBoard
from perfboard.model.errors import UsageError
from perfboard.model.progress import SilentProgress
from tests.support.squashfs import unsquash
from tests.support.users import by_another, common_folder

MIB = 1 << 20
SCRIPT = "DEBIAN/postinst"


@pytest.fixture(scope="session")
def board() -> VirtualBoard:
    return load_board("rpi2").board


class Seeded(AptState):
    """An apt state whose packages are in the cache already."""

    def __init__(self, packages: dict[str, dict[str, str | None]]) -> None:
        """`packages` have files by their path, with their text; None: a link to nowhere."""
        super().__init__("armhf", SilentProgress())
        self._seeded = tuple(Package(name, "1", "0" * 64) for name in sorted(packages))
        for package in self._seeded:
            files = packages[package.name]

            def build(folder: Path, files: dict[str, str | None] = files) -> None:
                for name, text in files.items():
                    path = folder / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    if text is None:
                        path.symlink_to("/etc")
                    else:
                        path.write_text(text)
                        path.chmod(0o755)

            inputs = {**asdict(package), "architecture": "armhf", "form": "--raw-extract"}
            cached("package", inputs, build, SilentProgress())

    def closure(self, names: object) -> tuple[Package, ...]:
        return self._seeded

    def resolve(self, name: str) -> Package:
        return next(package for package in self._seeded if package.name == name)


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    path = tmp_path / "probe"
    path.write_text("the probe")
    return path


def test_packages_become_one_file_system(probe: Path, tmp_path: Path) -> None:
    state = Seeded(
        {
            "busybox": {"bin/busybox": "busybox"},
            "old": {"lib/libold.so": "old", "sbin/old": "old"},
            "new": {"usr/bin/new": "new", "usr/lib/libnew.so": "new", "etc/passwd": "its own"},
        }
    )
    root = build_package_root(state, (), probe, SilentProgress())
    tree = unsquash(root.image, tmp_path / "tree")
    assert {path.name for path in (tree / "usr/bin").iterdir()} == {"busybox", "env", "new", "sh"}
    assert (tree / "bin").readlink() == Path("usr/bin")
    assert {path.name for path in (tree / "usr/lib").iterdir()} == {"libold.so", "libnew.so"}
    assert (tree / "usr/sbin/old").read_text() == "old"
    assert (tree / "etc/passwd").read_text() == "its own"
    assert (tree / "etc/hosts").read_text().startswith("127.0.0.1")
    assert (tree / "perfboard/probe").read_text() == "the probe"
    assert (tree / "perfboard/probe").stat().st_mode & stat.S_IXUSR
    for name in ("dev", "proc", "sys", "tmp", "work", "perfboard/job", "perfboard/root"):
        assert (tree / name).is_dir(), name
    assert set(root.files) == {
        *("/usr/bin/busybox", "/usr/bin/new", "/usr/lib/libold.so", "/usr/lib/libnew.so"),
        *("/usr/sbin/old", "/etc/passwd"),
    }


def test_a_squashfs_is_the_same_whoever_makes_it() -> None:
    with common_folder() as folder:
        program = folder / "program"
        program.write_text("a program")
        program.chmod(0o755)

        def squash(name: str) -> str:
            squash_files({"run": b"sh", "bin/program": program}, folder / name, ("files",))
            return name

        assert squash("ours") == "ours"
        assert by_another(partial(squash, "theirs")) == "theirs"
        assert (folder / "ours").read_bytes() == (folder / "theirs").read_bytes()


INSTALL = "update-alternatives --install"


def test_alternatives_are_links_and_the_highest_priority_wins(probe: Path, tmp_path: Path) -> None:
    gawk = f"{INSTALL} /usr/bin/awk awk /usr/bin/gawk 10 --slave /bin/nawk nawk /bin/gawk\n"
    blas = f"{INSTALL} /usr/lib/arm/libblas.so.3 blas /usr/lib/arm/blas/libblas.so.3 10\n"
    hostile = (
        f"{INSTALL} /usr/bin/mawk mawk /usr/bin/hostile 99\n"
        f"{INSTALL} /usr/link/below below /usr/bin/hostile 99\n"
        f"{INSTALL} /usr/bin/hostile/below file /usr/bin/hostile 99\n"
        f"{INSTALL} /usr/bin/shadow shadow /etc/shadow 99\n"
    )
    state = Seeded(
        {
            "mawk": {"usr/bin/mawk": "mawk", SCRIPT: f"{INSTALL} /usr/bin/awk awk /bin/mawk 5"},
            "gawk": {"usr/bin/gawk": "gawk", SCRIPT: gawk},
            "libblas3": {"usr/lib/arm/blas/libblas.so.3": "blas", SCRIPT: blas},
            "x": {"usr/bin/hostile": "x", "usr/link": None, SCRIPT: hostile},
        }
    )
    root = build_package_root(state, (), probe, SilentProgress())
    tree = unsquash(root.image, tmp_path / "tree")
    assert (tree / "usr/bin/awk").readlink() == Path("/usr/bin/gawk")
    assert (tree / "usr/bin/nawk").readlink() == Path("/bin/gawk")
    assert (tree / "usr/lib/arm/libblas.so.3").readlink() == Path("/usr/lib/arm/blas/libblas.so.3")
    assert (tree / "usr/bin/mawk").read_text() == "mawk"
    assert {path.name for path in (tree / "usr/bin").iterdir()} == {
        *("awk", "env", "gawk", "hostile", "mawk", "nawk", "sh"),
    }
    assert (tree / "usr/link").is_symlink()
    assert not (tree / "DEBIAN").exists()
    assert not any("DEBIAN" in place for place in root.files)


def test_packages_that_others_pull_in_can_be_left_out(probe: Path, tmp_path: Path) -> None:
    names = ("busybox", "tool", "mesa-gl", "mesa-va", "libx")
    state = Seeded({name: {f"usr/share/{name}": name} for name in names})
    root = build_package_root(state, ("tool",), probe, SilentProgress(), ("mesa*", "libx"))
    tree = unsquash(root.image, tmp_path / "tree")
    assert {path.name for path in (tree / "usr/share").iterdir()} == {"busybox", "tool"}
    assert [package.name for package in root.packages] == ["busybox", "tool"]
    assert root.left_out == ("libx", "mesa-gl", "mesa-va")
    whole = build_package_root(state, ("tool",), probe, SilentProgress())
    assert whole.left_out == () and whole.image != root.image
    assert largest(whole, state, 2) == [("busybox", 7), ("mesa-gl", 7)]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("mesa", "--without mesa: fits no package that others pull in; there are: libx mesa-gl"),
        ("tool", "pull in, and is asked for"),
        ("busy*", "pull in, and is asked for"),
        ("", "--without : fits no package"),
    ],
)
def test_a_pattern_that_leaves_nothing_out_is_refused(probe: Path, pattern: str, said: str) -> None:
    names = ("busybox", "tool", "mesa-gl", "libx")
    state = Seeded({name: {f"usr/share/{name}": name} for name in names})
    with pytest.raises(UsageError, match=re.escape(said)):
        build_package_root(state, ("tool",), probe, SilentProgress(), (pattern,))


def test_a_script_that_is_no_file_is_not_read(probe: Path) -> None:
    state = Seeded({"x": {"usr/bin/x": "x", SCRIPT: None}})
    build_package_root(state, (), probe, SilentProgress())


def test_a_file_below_anothers_link_is_refused(probe: Path) -> None:
    state = Seeded({"a": {"usr/x": None}, "b": {"usr/x/passwd": "not yours"}})
    with pytest.raises(UsageError, match="package b has /usr/x/passwd"):
        build_package_root(state, (), probe, SilentProgress())


@pytest.mark.parametrize("name", ["", "-y", "a b", "Gzip", "libc6:amd64", "x=1", "a/b", "vim-"])
def test_what_is_no_packages_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"needs the name of a Debian package.*armhf"):
        check_names((*BASE, name), "armhf")


def test_a_job_has_the_command_and_the_files(board: VirtualBoard, tmp_path: Path) -> None:
    program = tmp_path / "a program"
    program.write_bytes(b"\0\1")
    program.chmod(0o700)
    job = ProgramJob(("./a program", "", "two\nlines", "ä"), files=(program,), limit_s=1.5)
    check_job(job, board)
    write_job(job, board, tmp_path / "job.squashfs")
    tree = unsquash(tmp_path / "job.squashfs", tmp_path / "tree")
    assert (tree / "files/a program").read_bytes() == b"\0\1"
    assert (tree / "files/a program").stat().st_mode & 0o777 == 0o755
    words = (tree / "command").read_bytes().decode().split("\0")
    assert [word[1:] for word in words if word[:1] == "w"] == list(job.command)
    assert "l1500000" in words and "d/work" in words
    assert sum(word.startswith("v") for word in words) == 2 and words[-1] == ""


def test_a_job_takes_as_many_words_as_the_board_has_room_for(board: VirtualBoard) -> None:
    header = native_folder("probe") / "run" / "trial.h"
    assert f"#define RUN_MOST_WORDS {MOST_WORDS}\n" in header.read_text()
    check_job(ProgramJob(("x",) * MOST_WORDS), board)


def test_a_job_has_what_the_command_reads(board: VirtualBoard, tmp_path: Path) -> None:
    read = tmp_path / "read"
    read.write_bytes(b"a\0\xff")
    write_job(ProgramJob(("cat",), input=read), board, tmp_path / "job.squashfs")
    assert (unsquash(tmp_path / "job.squashfs", tmp_path / "tree") / "input").read_bytes() == (
        b"a\0\xff"
    )


def test_a_job_without_files_has_a_folder_for_them(board: VirtualBoard, tmp_path: Path) -> None:
    write_job(ProgramJob(("true",)), board, tmp_path / "job.squashfs")
    assert (unsquash(tmp_path / "job.squashfs", tmp_path / "tree") / "files").is_dir()
    assert not (tmp_path / "tree/input").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"command": ()}, "no command to try"),
        ({"command": ("x" * MIB,)}, "longer than half a megabyte"),
        ({"command": ("x",) * 4097}, "has 4,097 words, and a board takes 4,096"),
        ({"command": ("a\0b",)}, "NUL"),
        ({"files": ("absent",)}, "absent: there is no such file"),
        ({"files": ("/dev/null",)}, "is neither a file nor a folder"),
        ({"input": ("large",)}, "and standard input have 1 GiB"),
        ({"files": ("small", "folder/small")}, "have one name"),
        ({"files": ("large",)}, "standard input have 1 GiB, and board rpi2 can be given 297 MiB"),
    ],
)
def test_a_job_that_cannot_be_is_refused(
    board: VirtualBoard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, tuple[str, ...]],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("small", "folder/small"):
        (tmp_path / name).write_text("x")
    with (tmp_path / "large").open("wb") as large:
        large.truncate(1 << 30)
    job = ProgramJob(
        change.get("command", ("true",)),
        files=tuple(Path(name) for name in change.get("files", ())),
        input=next((Path(name) for name in change.get("input", ())), None),
    )
    with pytest.raises(UsageError, match=said):
        check_job(job, board)


@pytest.mark.parametrize(("ram", "room"), [(16, 512), (512, 297), (760, 49), (1024, 49)])
def test_a_root_that_is_too_large_is_refused(board: VirtualBoard, ram: int, room: int) -> None:
    machine = board.machine.model_copy(update={"ram": ram * MIB})
    board = board.model_copy(update={"machine": machine})
    check_room(board, "the packages", room * MIB)
    with pytest.raises(UsageError, match=f"the packages have .* can be given {room} MiB"):
        check_room(board, "the packages", room * MIB + 1)


def test_what_is_loaded_lies_beyond_the_boards_memory(board: VirtualBoard) -> None:
    layout = lay_out(board, 10 * MIB + 1, 4096)
    assert layout.base == layout.ram + board.machine.ram
    assert (layout.root, layout.job, layout.results) == (11 * MIB, MIB, 17 * MIB)
    assert layout.disk_base == layout.base + 29 * MIB
    words = boot_arguments(board, layout, 1, True).split()
    assert "mem=523264K" in words  # less its framebuffer
    assert f"phram.phram=try,{layout.base:#x},{29 * MIB:#x}" in words
    assert "mtdparts=try:11264k(root),1024k(job),17408k(results)" in words
    assert "root=/dev/mtdblock1" in words
    assert words[-4:] == ["--", "run", "/dev/mtdblock2", "/dev/mtd3"]


@given(st.integers(1, 2048), st.floats(0, 1), st.floats(0, 1))
def test_what_is_not_refused_fits_what_a_kernel_was_seen_to_map(
    ram: int, share: float, of_it: float
) -> None:
    """The kernel of `verdex` boots with 838 MiB of both; see `room_of`."""
    board = load_board("rpi2").board
    machine = board.machine.model_copy(update={"ram": ram * MIB})
    board = board.model_copy(update={"machine": machine, "framebuffer": None})
    given = int(room_of(board) * share)
    layout = lay_out(board, int(given * of_it), given - int(given * of_it))
    assert min(ram, 766) * MIB + layout.disk_base - layout.base <= 838 * MIB


def test_a_disk_lies_behind_a_trials_own_files() -> None:
    board = load_board("bifferboard").board
    assert isinstance(board, DiskBoard) and board.disk.transfer is not None
    layout = lay_out(board, 10 * MIB + 1, 4096)
    # What the board leaves is read from there, disk or none.
    assert layout.results_base == layout.base + layout.root + layout.job
    assert layout.disk_base == layout.results_base + layout.results
    assert layout.end == layout.disk_base + board.disk.size
    words = boot_arguments(board, layout, 0, True).split()
    assert f"perfboard_disk.base={layout.disk_base:#x}" in words
    assert f"perfboard_disk.transfer={board.disk.transfer.rate}" in words
    # The board has been on for long.
    assert not any(word.startswith("perfboard_disk.ready") for word in words)


def test_a_disks_area_for_data_is_a_trials_disk_alone() -> None:
    board = load_board("settop-media").board
    assert isinstance(board, DiskBoard)
    words = boot_arguments(board, lay_out(board, MIB, MIB), 0, True).split()
    assert f"perfboard_disk.size={320 * MIB}" in words
    assert f"perfboard_disk.size={16 * MIB}" in kernel_arguments(board, True, (), RootRecipe())


def test_a_card_is_the_trials_disk_and_takes_little_room(
    board: VirtualBoard,
) -> None:
    assert isinstance(board, FlashBoard) and board.disk is not None
    without = board.model_copy(update={"medium": None})
    # The kernel maps a part of it at a time.
    assert 0 < room_of(without) - room_of(board) <= 2 * MIB < board.disk.size
    words = boot_arguments(board, lay_out(board, MIB, MIB), 1, True).split()
    assert "perfboard_disk.write=19560000" in words
    assert "perfboard_disk.programming=590" in words
    assert not any(
        "perfboard_disk" in word
        for word in boot_arguments(without, lay_out(without, MIB, MIB), 1, True).split()
    )


@pytest.mark.parametrize(("name", "size", "ahead"), [("rpi2", 512, 128), ("settop-web", 120, 8)])
def test_packages_on_a_disk_are_read_at_its_speed_and_take_no_room(
    name: str, size: int, ahead: int
) -> None:
    board = load_board(name).board
    # Where memory is short, what is read ahead is dropped before it is wanted.
    assert read_ahead(board) == ahead
    layout = lay_out(board, 120 * MIB - 1, MIB, from_disk=True)
    # A disk is at least as large as its root: that of settop-web has 16 MiB for its own.
    assert (layout.root, layout.disk) == (0, size * MIB)
    words = boot_arguments(board, layout, 0, True).split()
    assert "root=/dev/pbd" in words and f"perfboard_disk.size={size * MIB}" in words
    assert f"mtdparts=try:1024k(job),{layout.results // 1024}k(results)" in words
    assert words[-4:] == ["--", "run", "/dev/mtdblock0", "/dev/mtd1"]


def test_a_board_without_a_disk_has_its_packages_in_memory(board: VirtualBoard) -> None:
    without = board.model_copy(update={"medium": None})
    assert lay_out(without, MIB, MIB, from_disk=True) == lay_out(without, MIB, MIB)


def test_a_disk_that_no_address_reaches_is_refused(board: VirtualBoard) -> None:
    assert isinstance(board, FlashBoard) and board.disk is not None
    card = board.disk.model_copy(update={"size": 3 << 30})
    large = board.model_copy(update={"medium": Medium(card=card)})
    with pytest.raises(UsageError, match=r"disk\.size: .* make it smaller"):
        check_job(ProgramJob(("true",)), large)


def test_a_small_boards_memory_is_passed_by(board: VirtualBoard) -> None:
    small = load_board("verdex").board
    assert lay_out(small, MIB, MIB).base == 0x50000000
