# SPDX-License-Identifier: Apache-2.0
"""A board's image made of the user's own files, which needs no tool and no network."""

import struct
import zlib
from pathlib import Path

import pytest

from perfboard.bench.boot.slim import slim_options
from perfboard.bench.lab import Lab
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.host.cache.cache import cache_root
from perfboard.host.programs.tools import TOOLS, missing_tools, require_tools
from perfboard.images.image import Image, build_image
from perfboard.model.board.image import FlashImage, OwnBootloader, OwnRoot
from perfboard.model.board.kernel import OwnKernel
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.progress import SilentProgress
from tests.support.kernels import make_kernel, make_zimage, with_header
from tests.support.variants import variant_of

VERDEX = load_board("verdex").path.read_text()
STAND_IN = "ffffffffffffffff B The real System.map is in the linux-image-<version>-dbg package\n"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A board file like verdex's, with files of the user's own beside it."""
    image, text = make_kernel()
    (tmp_path / "zImage").write_bytes(make_zimage(image))
    (tmp_path / "System.map").write_text(text)
    (tmp_path / "u-boot.bin").write_bytes(b"bootloader")
    (tmp_path / "root.squashfs").write_bytes(b"root")
    head, _, rest = VERDEX.replace('size = "64 MiB"', 'size = "17 MiB"').partition(
        "[image.bootloader]"
    )
    path = tmp_path / "own.toml"
    path.write_text(
        f"""{head}
[image.bootloader]
file = "u-boot.bin"
kernel_address = 0x41000000
[image.kernel]
file = "zImage"
system_map = "System.map"
[image.root]
file = "root.squashfs"
[boot]{rest.partition("[boot]")[2]}"""
    )
    return path


def build(path: Path, **levels: str) -> Image:
    return build_image(choose(load_board(str(path)), levels), SilentProgress())


def environment(bank: Path) -> dict[str, str]:
    with bank.open("rb") as file:
        texts = file.read(256 << 10)[4:].partition(b"\0\0")[0]
    return dict(text.decode().split("=", 1) for text in texts.split(b"\0"))


def test_own_files_make_an_image_without_any_tool(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    image = build(own)
    assert image.kernel_file.read_bytes() == (own.parent / "zImage").read_bytes()
    assert image.symbols["linux_banner"] == 0xC0010000
    assert image.notes == () and image.packages == {}
    assert set(image.hashes) == {"bootloader", "kernel", "root", "bank0", "bank1"}
    variables = environment(image.banks[1])
    assert variables["bootdelay"] == "0"
    assert "rootfstype" not in variables["bootargs"]
    words = -(-image.kernel_file.stat().st_size // 4)
    assert variables["bootcmd"].startswith(f"cp.l 0x100000 0x41000000 {words:x};")


def test_the_parts_of_an_own_image_are_of_their_own_kinds(own: Path) -> None:
    image = load_board(str(own)).board.image
    assert isinstance(image, FlashImage) and isinstance(image.bootloader, OwnBootloader)
    assert isinstance(image.kernel, OwnKernel) and isinstance(image.root, OwnRoot)
    assert [*image.files()] == [
        "image.bootloader.file",
        "image.kernel.file",
        "image.kernel.system_map",
        "image.root.file",
    ]


def test_an_archive_in_memory_needs_no_region_of_the_root(own: Path) -> None:
    text = own.read_text().replace("[image.root]", "[image.initrd]")
    text = text.replace("\nroot = { bank", "\ninitrd = { bank")
    text = text.replace("[image.kernel]", "initrd_address = 0x42000000\n[image.kernel]")
    own.write_text(text)
    (own.parent / "root.squashfs").write_bytes(b"070701")
    (own.parent / "System.map").write_text(STAND_IN)
    image = build(own)
    assert set(image.hashes) == {"bootloader", "kernel", "initrd", "bank0", "bank1"}
    assert image.variables["bootcmd"].startswith("cp.l 0x100000 0x41000000 ")
    assert "; cp.l 0x4040000 0x42000000 2; " in image.variables["bootcmd"]
    with image.banks[1].open("rb") as file:
        file.seek(256 << 10)
        assert file.read(7) == b"070701\0"


def test_the_flash_after_a_jffs2_is_erased_as_a_board_has_it(own: Path) -> None:
    node = bytes.fromhex("85190320 0c000000 b1b01ee4")
    (own.parent / "root.squashfs").write_bytes(node + b"rest")
    (own.parent / "System.map").write_text(STAND_IN)
    with build(own).banks[1].open("rb") as file:
        file.seek(256 << 10)
        assert file.read(17) == node + b"rest\xff"
        # The region's last sector.
        file.seek(16 << 20)
        assert file.read(256 << 10) == node.ljust(256 << 10, b"\xff")


def test_a_kernel_with_a_header_is_started_where_it_lies(own: Path) -> None:
    kernel = own.parent / "zImage"
    kernel.write_bytes(with_header(kernel.read_bytes()))
    image = build(own)
    assert image.variables["bootcmd"].endswith("; bootm 0x100000 - ${fdtcontroladdr}")
    assert "cp.l" not in image.variables["bootcmd"]


def test_the_boards_own_variables_go_over_those_that_are_made_for_it(own: Path) -> None:
    own.write_text(
        own.read_text().replace(
            "kernel_address = 0x41000000",
            'kernel_address = 0x41000000\nvariables = { bootcmd = "bootz 1", verify = "n" }',
        )
    )
    image = build(own)
    variables = environment(image.banks[1])
    assert variables == image.variables
    assert (variables["bootcmd"], variables["verify"]) == ("bootz 1", "n")
    assert variables["bootargs"].startswith("console=")


def test_a_levels_words_follow_the_boards_own_arguments(own: Path) -> None:
    own.write_text(
        own.read_text().replace(
            "kernel_address = 0x41000000",
            'kernel_address = 0x41000000\nvariables = { bootargs = "root=/dev/nfs" }',
        )
    )
    image = build(own, console="quiet")
    assert image.variables["bootargs"] == image.arguments == "root=/dev/nfs quiet"


def test_the_same_board_is_built_once_and_another_factor_changes_only_the_environment(
    own: Path,
) -> None:
    first = build(own)
    assert build(own, console="full") == first
    quiet = build(own, console="quiet")
    assert quiet.banks != first.banks
    assert quiet.hashes["bank0"] == first.hashes["bank0"]
    arguments = environment(quiet.banks[1])["bootargs"]
    assert arguments == environment(first.banks[1])["bootargs"] + " quiet"


def test_files_of_the_user_may_change_afterwards(own: Path) -> None:
    first = build(own)
    (own.parent / "root.squashfs").write_bytes(b"other")
    second = build(own)
    assert first.hashes["root"] != second.hashes["root"]
    with first.banks[1].open("rb") as file:
        file.seek(256 << 10)
        assert file.read(5) == b"root\0"


@pytest.mark.parametrize("given", ["stand-in", "none"])
def test_no_symbols_are_said_in_a_note(own: Path, given: str) -> None:
    (own.parent / "System.map").write_text(STAND_IN)
    if given == "none":
        text = own.read_text().replace('system_map = "System.map"\n', "")
        own.write_text(text.replace('"exec:S99usable"', '"login:"'))
    image = build(own)
    assert image.symbols == {}
    (note,) = image.notes
    assert "less precision" in note and ("stand-in" in note) == (given == "stand-in")


def test_a_part_larger_than_its_region_is_told_and_no_image_is_left(own: Path) -> None:
    with (own.parent / "root.squashfs").open("wb") as file:
        file.truncate((16 << 20) + 1)
    with pytest.raises(UsageError, match=r"flash\.root: the root is 16777217 bytes"):
        build(own)
    assert not (cache_root() / "image").exists()


def test_missing_tools_are_told_before_anything_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EnvironmentLacksError) as caught:
        build_image(variant_of(), SilentProgress())
    assert "lacks apt-get" in str(caught.value)
    assert "sudo apt-get install apt dpkg make" in str(caught.value)
    assert not cache_root().exists()


@pytest.mark.parametrize(
    ("architecture", "packages"),
    [
        ("armhf", "gcc-arm-linux-gnueabihf qemu-system-arm"),
        ("arm64", "gcc-aarch64-linux-gnu qemu-system-arm"),
        ("i386", "gcc-i686-linux-gnu qemu-system-x86"),
    ],
)
def test_the_packages_of_one_architecture(
    monkeypatch: pytest.MonkeyPatch, architecture: str, packages: str
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EnvironmentLacksError) as caught:
        require_tools(["root", "emulator"], architecture)
    named = set(str(caught.value).partition("apt-get install ")[2].split())
    assert {name for name in named if not name.startswith("libc6")} == {
        *packages.split(),
        "squashfs-tools",
        "util-linux",
    }


def test_the_tools_of_one_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "qemu-system-arm" in {tool.name for tool in missing_tools(["emulator"])}
    assert "make" not in {tool.name for tool in missing_tools(["emulator"])}
    assert "qemu-system-aarch64" not in {tool.name for tool in missing_tools(["emulator"], "armhf")}
    everywhere = {tool.name for tool in TOOLS if "/" not in tool.name}
    assert everywhere <= {tool.name for tool in missing_tools()}


def test_levels() -> None:
    counted = load_board("verdex").board.model_copy(update={"timing": None})
    defaults = variant_of(counted).levels
    assert defaults["console"] == "full" and defaults["kernel"] == "copied"
    timed = {"detail": "timed", "flash": "tuned", "dcache": "on", "clock": "board", "ram": "board"}
    assert variant_of().levels == {**defaults, **timed}
    assert variant_of(console="quiet").levels["console"] == "quiet"
    with pytest.raises(UsageError, match=r"has no .*It has: baud, block, .*, wire$"):
        variant_of(counted, detail="timed")
    with pytest.raises(UsageError, match=r"console has no level .loud.\. It has: full, quiet"):
        variant_of(console="loud")
    with pytest.raises(UsageError, match="choose one"):
        variant_of(console="quiet", initcall_debug="on")


def test_the_checksum_u_boot_wants_is_in_the_bank(own: Path) -> None:
    image = build(own)
    with image.banks[1].open("rb") as file:
        block = file.read(256 << 10)
    assert struct.unpack_from("<I", block)[0] == zlib.crc32(block[4:])


def test_an_own_kernel_cannot_be_made_slim(own: Path) -> None:
    with pytest.raises(UsageError, match=r"has a kernel of its own, image\.kernel\.file"):
        slim_options(str(own), Lab())
