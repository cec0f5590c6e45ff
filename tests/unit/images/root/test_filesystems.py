# SPDX-License-Identifier: Apache-2.0
"""The root file systems: what they ask for, what is refused, and what the tools make of a tree."""

import os
import random
import struct
import subprocess
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.images.recipe import Recipe
from perfboard.images.root.commands import TREE, commands_of
from perfboard.images.root.filesystems import SIZES, SYSTEMS, format_rest
from perfboard.images.root.make import make_file_system
from perfboard.images.root.recipe import RootRecipe
from perfboard.images.root.tree import CONSOLE, Node, saved_nodes
from perfboard.images.root.ubi import checksum, leb_size, volume_size
from perfboard.images.root.write import main
from perfboard.model.errors import UsageError
from tests.support.cramfs_reader import Cramfs
from tests.support.roots import make_root
from tests.support.users import NOBODY, by_another, common_folder
from tests.support.variants import variant_of

BOARD = load_board("verdex").board
SECTOR, ROOM = 256 << 10, 16 << 20
NULL = Node("dev/null", "c", 1, 3, 0o666)
MADE = [name for name in SYSTEMS if name not in ("cramfs", "cramfs-xip", "cramfs-xip-application")]


def recipe(**levels: str) -> Recipe:
    return variant_of(**levels).recipe


def test_a_file_system_asks_its_kernel_for_itself_alone() -> None:
    assert recipe().options == {}
    wanted = recipe(root="cramfs-linear").options
    assert wanted["CONFIG_SQUASHFS"] == "n" and wanted["CONFIG_CRAMFS_MTD"] == "y"
    assert "CONFIG_CRAMFS_MTD" not in recipe(root="cramfs").options
    assert recipe(root="squashfs-lz4").options == {
        "CONFIG_SQUASHFS_ZLIB": "n",
        "CONFIG_SQUASHFS_LZ4": "y",
    }
    assert recipe(block="4k").options == recipe(init="parallel").options == {}


def test_each_level_of_root_is_a_file_system_of_that_name() -> None:
    assert set(factors_of(BOARD)["root"].levels) == {
        *(*SYSTEMS, "ubifs-fastmap", "axfs", "debian", "debian-sysvinit", "debian-f2fs"),
    }
    for name in SYSTEMS:
        board = "rpi2" if name in SIZES else BOARD
        assert variant_of(board, root=name).recipe.root.system == name


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ({"root": "axfs"}, "root=axfs: AXFS never came into Linux"),
        ({"root": "ubifs-fastmap"}, "Linux makes none of 64 sectors .* flash.root has 64"),
        ({"root": "initramfs", "bootloader": "none"}, "bootloader=none copies the kernel alone"),
        ({"root": "ext4"}, "on a card, eMMC or a disk, and board verdex has its root in flash"),
        ({"root": "jffs2", "block": "4k"}, "block=4k is a size of squashfs's"),
        ({"root": "erofs", "order": "use"}, "order=use sorts the files of a squashfs"),
        ({"order": "functions"}, "linked here, by libraries=musl; choose that as well"),
        ({"init": "parallel", "libraries": "static"}, "init=parallel needs startpar"),
        ({"init": "parallel", "libraries": "musl"}, "found libraries=musl; choose one"),
        ({"libraries": "prelinked"}, "Debian 12 has no prelink"),
        ({"libraries": "stripped"}, "libraries=stripped: "),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(levels: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        recipe(**levels)


def test_what_a_board_with_a_disk_or_little_memory_cannot_have() -> None:
    assert {"nodes", "init"}.isdisjoint(factors_of(load_board("converter").board))
    with pytest.raises(UsageError, match="needs flash; board converter"):
        variant_of("converter", root="jffs2")
    assert variant_of("converter", root="squashfs-xz").recipe.root.system == "squashfs-xz"
    machine = BOARD.machine.model_copy(update={"ram": 32 << 20})
    small = BOARD.model_copy(update={"machine": machine, "framebuffer": None})
    with pytest.raises(UsageError, match="would lie in memory after the kernel, at 0x41f00000"):
        variant_of(small, root="initramfs")


@pytest.mark.parametrize(
    ("magic", "header"), [(b"\x85\x19\x03\x20", 12), (b"\x85\x19\x01\xe0", 0), (b"UBI#", 64)]
)
@given(rest=st.binary(min_size=60, max_size=3000), sectors=st.integers(1, 6), odd=st.integers(0, 9))
def test_the_rest_of_the_flash_is_erased_and_says_so(
    magic: bytes, header: int, rest: bytes, sectors: int, odd: int
) -> None:
    sector, image = 512, magic + rest
    begun = -(-len(image) // sector) * sector
    room = begun + sectors * sector
    whole = format_rest(image, room + odd, sector)
    assert len(whole) == room and whole.startswith(image)
    assert set(whole[len(image) : begun]) <= {0xFF}
    for at in range(begun, room, sector):
        assert whole[at : at + sector] == image[:header].ljust(sector, b"\xff")


@pytest.mark.parametrize("room", [100, 700])
def test_an_image_that_does_not_fit_is_left_to_be_refused(room: int) -> None:
    image = b"UBI#" + bytes(596)
    assert format_rest(image, room, 512) == image.ljust(room, b"\xff")


@given(st.binary(max_size=99))
def test_a_file_system_that_looks_at_itself_alone_stays_as_it_is(image: bytes) -> None:
    assert format_rest(b"hsqs" + image, 1024, 512) == b"hsqs" + image


def grow(tree: Path) -> Path:
    for folder in ("bin", "dev", "etc/init.d", "lib"):
        (tree / folder).mkdir(parents=True)
    (tree / "bin/busybox").write_bytes(Path("/bin/true").read_bytes())
    (tree / "bin/sh").symlink_to("/bin/busybox")
    (tree / "etc/text").write_text("text " * 5000)
    return tree


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return grow(tmp_path / TREE)


def make(tree: Path, name: str, **fields: str) -> bytes:
    root = RootRecipe(system=name, **fields)  # type: ignore[arg-type]
    image = make_file_system(root, tree.parent, (CONSOLE, NULL), SECTOR, ROOM)
    return image.rename(image.with_suffix(".made")).read_bytes()


_MAGIC = {
    "squashfs": (0, b"hsqs"),
    "cramfs": (0, b"\x45\x3d\xcd\x28"),
    "jffs2": (0, b"\x85\x19\x03\x20"),
    "ubifs": (0, b"UBI#"),
    "erofs": (1024, b"\xe2\xe1\xf5\xe0"),
    "romfs": (0, b"-rom1fs-"),
    "ext4": (1080, b"\x53\xef"),
    "f2fs": (1024, b"\x10\x20\xf5\xf2"),
    "": (0, b"\x1f\x8b"),
}


@pytest.mark.parametrize("name", MADE)
def test_each_is_what_it_says_and_the_same_each_time(tree: Path, name: str) -> None:
    image = make(tree, name)
    at, magic = _MAGIC[SYSTEMS[name].type]
    assert image[at : at + len(magic)] == magic
    # Another tree of the same files, whose times and places on the disk are not those.
    copy = tree.rename(tree.with_name("first"))
    subprocess.run(["cp", "-r", "--no-dereference", str(copy), str(tree)], check=True)
    for path in tree.rglob("@*"):
        path.unlink()
    assert make(tree, name) == image


@pytest.mark.parametrize("name", MADE)
def test_each_is_the_same_whoever_makes_it(name: str) -> None:
    def make_in(folder: Path) -> Path:
        folder.mkdir(parents=True)
        tree = grow(folder / TREE)
        for path in tree.rglob("*"):
            if not path.is_symlink():
                path.chmod(0o755)
        make(tree, name)
        return folder

    # Some are written by Python itself.
    program = commands_of(RootRecipe(system=name), (), SECTOR, ROOM).commands[-1][0]
    user = os.geteuid() if program == "python" else NOBODY
    with common_folder() as common:
        ours, theirs = make_in(common / "ours"), common / "another's/folder"
        assert by_another(partial(make_in, theirs), user) == str(theirs)
        (image,) = ours.glob("*.made")
        assert image.read_bytes() == (theirs / image.name).read_bytes()


def test_squashfs_has_its_blocks_compressor_and_nodes(tree: Path) -> None:
    for name, number in {
        "squashfs": 1,
        "squashfs-lzo": 3,
        "squashfs-xz": 4,
        "squashfs-zstd": 6,
    }.items():
        image = make(tree, name, block=16 << 10)  # type: ignore[arg-type]
        assert struct.unpack_from("<I", image, 12)[0] == 16 << 10
        assert struct.unpack_from("<H", image, 20)[0] == number
    shown = subprocess.run(
        ["unsquashfs", "-lln", str(tree.parent / "root.made")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "crw------- 0/0" in shown and "squashfs-root/dev/console" in shown
    assert "crw-rw-rw- 0/0" in shown and "squashfs-root/dev/null" in shown


def test_files_by_use_lie_before_the_others(tree: Path) -> None:
    # Of whole blocks, which lie in the order of the files.
    (tree / "bin/another").write_bytes(b"\1" * (256 << 10))
    (tree / "bin/busybox").write_bytes(b"\2" * (256 << 10))
    assert make(tree, "squashfs", order="use") != make(tree, "squashfs")


@pytest.mark.parametrize("libraries", ["dynamic", "static", "musl"])
def test_what_is_used_first_is_in_the_root(tmp_path: Path, libraries: str) -> None:
    root = RootRecipe(libraries=libraries)
    tree = make_root(tmp_path, root)
    for path in root.first_used:
        assert any(file.is_file() for file in tree.glob(path)), path


def test_code_of_a_cramfs_lies_in_pages(tree: Path) -> None:
    plain, placed = Cramfs(make(tree, "cramfs-linear")), Cramfs(make(tree, "cramfs-xip"))
    assert placed.entries() == plain.entries()
    busybox = next(entry for entry in placed.entries() if entry.path == "bin/busybox")
    assert placed.mapped(busybox, 0, 1) == 1 and plain.mapped(busybox, 0, 1) == 0
    nodes = {e.path: e.device for e in placed.entries() if e.path.startswith("dev/")}
    assert nodes == {"dev/console": (5, 1), "dev/null": (1, 3)}


def test_a_summary_is_in_each_sector_of_a_jffs2(tree: Path) -> None:
    (tree / "lib/whole").write_bytes(random.Random(3).randbytes(2 * SECTOR))
    plain, summed = make(tree, "jffs2"), make(tree, "jffs2-summary")
    # The node that a summary is, at the end of a sector: include/uapi/linux/jffs2.h.
    node = b"\x85\x19\x06\x20"
    assert summed.count(node) >= 2 and node not in plain


def test_a_ubi_image_has_a_volume_for_all_but_what_ubi_needs(tree: Path) -> None:
    image = make(tree, "ubifs")
    assert len(image) % SECTOR == 0
    for at in range(0, len(image), SECTOR):
        assert struct.unpack_from(">I", image, at + 60)[0] == checksum(image[at : at + 60])
    # The superblock of the volume's file system: sizes of its blocks, and how many at most.
    at = next(
        n for n in range(0, len(image), SECTOR) if image[n + 128 : n + 132] == b"1\x18\x10\x06"
    )
    leb, _, most = struct.unpack_from("<3I", image, at + 128 + 36)
    assert (leb, most) == (leb_size(SECTOR), 60)
    assert volume_size(SECTOR, ROOM) == 60 * leb
    size = struct.unpack_from("<I", image, at + 128 + 16)[0]
    node = image[at + 128 : at + 128 + size]
    assert struct.unpack_from("<I", node, 4)[0] == checksum(node[8:])
    assert not any(node[108:124])


def test_the_saved_nodes() -> None:
    nodes = {node.path: (node.kind, node.major, node.minor) for node in saved_nodes()}
    assert nodes["dev/null"] == ("c", 1, 3)
    assert nodes["dev/console"] == ("c", 5, 1)
    assert nodes["dev/fb0"] == ("c", 29, 0)
    assert nodes["dev/mtdblock3"] == ("b", 31, 3)
    assert sorted(nodes) == list(nodes)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/dev/null c 666 0 0 1 3 0 0", "nodes.txt:1: give the ten columns of one node"),
        ("/dev/null c 666 0 0 1 3 0 1 2", "nodes.txt:1: give the ten columns of one node"),
        ("/dev/null c 888 0 0 1 3 0 0 -", "nodes.txt:1: give the ten columns of one node"),
    ],
)
def test_nodes_that_are_not_as_mkfs_has_them_are_refused(
    tree: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    nodes = tree.parent / "nodes.txt"
    nodes.write_text(f"{line}\n")
    with pytest.raises(SystemExit) as leaving:
        main(["--nodes", str(nodes), "cramfs", str(tree), str(tree.parent / "image")])
    assert leaving.value.code == 2 and said in capsys.readouterr().err
    assert not (tree.parent / "image").exists()
