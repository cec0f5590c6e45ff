# SPDX-License-Identifier: Apache-2.0
"""A board that is like another but for what its file says."""

import os
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.model.board.image import OwnRoot
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import UsageError
from tests.support.board_files import RPI2, VERDEX, built_kernel, load, refusal
from tests.support.variants import variant_of


def test_a_board_like_another_has_what_is_not_its_own() -> None:
    loaded, other = load_board("rpi2"), load_board("verdex")
    assert loaded.board.image == other.board.image
    assert loaded.board.machine.ram == 512 << 20
    assert loaded.board.machine.type == other.board.machine.type
    assert loaded.board.facts != other.board.facts
    assert loaded.folder == other.folder


def test_a_budget_is_of_one_device(tmp_path: Path) -> None:
    assert load_board("verdex").board.boot.budget_s == 3.356
    like = load_board("rpi2").board.boot
    assert like == load_board("verdex").board.boot.model_copy(update={"budget_s": None})
    assert load(tmp_path, RPI2 + "\n[boot]\nbudget_s = 2.0").boot.budget_s == 2


def test_a_card_takes_the_place_of_the_others_emmc(tmp_path: Path) -> None:
    card = '[medium.card]\nsize = "64 MiB"\n'
    like = VERDEX.split("[machine]")[0] + 'like = "teres"\n'
    board = load(tmp_path, like + card)
    assert isinstance(board, FlashBoard)
    assert board.medium is not None and board.medium.name == "card"
    emmc = load(tmp_path, like + card.replace("card", "emmc"))
    assert isinstance(emmc, FlashBoard)
    assert emmc.medium is not None and emmc.medium.disk.size == 64 << 20
    # What of the same medium is not its own is the other's.
    assert emmc.medium.disk.transfer is not None


def test_a_board_may_be_like_one_that_is_like_another(tmp_path: Path) -> None:
    lines = ['schema = "perfboard.board/1"', 'name = "b"', 'title = "B"', 'description = "B."']
    board = load(tmp_path, "\n".join([*lines, 'like = "rpi2"']))
    rpi2 = load_board("rpi2").board
    for key in ("timing", "machine", "image"):
        assert board.model_dump()[key] == rpi2.model_dump()[key]
    # The timing is its own as a whole, or the other's.
    own = RPI2[RPI2.index("[timing]") :].replace("hz = 900000000", "hz = 800000000", 1)
    board = load(tmp_path, "\n".join([*lines, 'like = "orangepi-pc"', own]))
    assert board.timing is not None and rpi2.timing is not None
    assert board.timing.clock.hz == 800_000_000
    assert board.timing.memory.model_dump() == rpi2.timing.memory.model_dump()


def test_a_part_of_the_image_is_its_own_and_the_rest_the_others(tmp_path: Path) -> None:
    (tmp_path / "root.squashfs").write_bytes(b"hsqs")
    path = tmp_path / "board.toml"
    path.write_text(RPI2 + '\n[image.root]\nfile = "root.squashfs"\n')
    loaded, rpi2 = load_board(str(path)), load_board("rpi2")
    image = loaded.board.image
    assert isinstance(image.root, OwnRoot) and isinstance(image.kernel, BuiltKernel)
    assert isinstance(rpi2.board.image.kernel, BuiltKernel)
    kernel = rpi2.board.image.kernel
    assert loaded.file(image.kernel.config).samefile(rpi2.file(kernel.config))
    assert image.kernel.slim == kernel.slim


def test_options_are_put_over_those_of_the_others_kernel(tmp_path: Path) -> None:
    lines = ['schema = "perfboard.board/1"', 'name = "b"', 'title = "B"', 'description = "B."']
    lines += ['like = "orangepi-pc"', "[image.kernel]", 'arguments = "quiet"']
    lines += ["[image.kernel.options]", 'CONFIG_FHANDLE = "n"']
    kernel = built_kernel(load(tmp_path, "\n".join(lines)))
    other = built_kernel(load_board("orangepi-pc").board)
    assert kernel.options == {**other.options, "CONFIG_FHANDLE": "n"} and len(kernel.options) == 2
    assert kernel.arguments == f"{other.arguments} quiet".strip()
    recipe = variant_of("orangepi-pc").recipe
    assert recipe.options["CONFIG_CPU_SW_DOMAIN_PAN"] == "y"
    assert "CONFIG_CPU_SW_DOMAIN_PAN" not in variant_of("rpi2").recipe.options


def test_arguments_alone_are_added_to_those_of_the_others_kernel(tmp_path: Path) -> None:
    board = load(tmp_path, RPI2 + '\n[image.kernel]\narguments = "mtdparts=mine quiet"\n')
    rpi2 = load_board("rpi2")
    kernel, other = built_kernel(board), built_kernel(rpi2.board)
    assert kernel.arguments == f"{other.arguments} mtdparts=mine quiet".strip()
    assert kernel.source == other.source and kernel.slim == other.slim
    assert kernel.config.samefile(rpi2.file(other.config))


def test_a_part_and_its_region_are_taken_out(tmp_path: Path) -> None:
    (tmp_path / "initrd").write_bytes(b"070701")
    own = """
[image]
root = "none"
[image.initrd]
file = "initrd"
[image.bootloader]
package = "u-boot-qemu"
path = "usr/lib/u-boot/qemu_arm/u-boot.bin"
kernel_address = 0x41000000
initrd_address = 0x50000000
[flash]
root = "none"
initrd = { bank = 0, offset = "16 MiB", size = "4 MiB" }
"""
    board = load(tmp_path, RPI2 + own)
    assert board.image.root is None and board.flash.root is None
    assert set(board.flash.regions()) == {"bootloader", "environment", "kernel", "initrd"}


@pytest.mark.parametrize(
    ("like", "said"),
    [
        ('"nosuch"', 'there is no board "nosuch"'),
        ('"./board.toml"', "like: ./board.toml is like this board itself"),
        ("7", "like: found 7; give a board's name or file"),
        ('"/dev/zero"', "/dev/zero: is a device; give a board file"),
        ('"./"', "Is a directory; give a board file"),
        (r'"./a\u0000b"', "a NUL in its name"),
        ('"~nosuchuser/board.toml"', "No such file"),
    ],
)
def test_what_a_board_cannot_be_like(tmp_path: Path, like: str, said: str) -> None:
    assert said in refusal(tmp_path, RPI2.replace('like = "verdex"', f"like = {like}"))


def test_files_of_an_own_image_lie_beside_the_board(tmp_path: Path) -> None:
    image = VERDEX[VERDEX.index("[image.bootloader]") : VERDEX.index("[boot]")]
    (tmp_path / "mine.config").touch()
    text = RPI2 + image.replace("verdex.config", "mine.config")
    assert built_kernel(load(tmp_path, text)).config == Path("mine.config")


def test_files_that_never_end_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    for refused, kind in (("/dev/zero", "a device"), (str(pipe), "a pipe")):
        with pytest.raises(UsageError, match=kind):
            load_board(refused)
        part = RPI2.replace('part = "cortex-a7"', f'part = "{refused}"')
        assert f"{refused}: is {kind}; give a part file" in refusal(tmp_path, part)
    with (tmp_path / "mine.config").open("wb") as file:
        file.truncate(3 << 30)
    text = VERDEX.replace("verdex.config", "mine.config")
    assert "mine.config has 3 GiB, and such a file has 256 MiB at most" in refusal(tmp_path, text)
