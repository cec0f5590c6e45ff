# SPDX-License-Identifier: Apache-2.0
"""Images that are made by hand, as advice says, give the boots that it promised."""

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perfboard.boards.loader import LoadedBoard
from perfboard.factors.choose import choose
from perfboard.host.programs.command import run_tool
from perfboard.images.image import build_image
from perfboard.images.kernel.build import build_kernel
from perfboard.images.packages.apt import AptState
from perfboard.model.progress import SilentProgress
from perfboard.studies.tune.advice import (
    BOOTLOADER,
    COMMAND_LINE,
    CONFIGURATION,
    KERNEL_IMAGE,
    ROOT_IMAGE,
    Build,
    lines_between,
)
from tests.support.board_files import config_of
from tests.support.rich_boards import rich_board
from tests.support.runs import result_of
from tests.support.variants import variant_of

from ..conftest import Change, Perfboard
from .advice_by_hand import by_hand, root_by_hand
from .test_study import keep_but, own_cache, total

Derive = Callable[[Change], Path]


@pytest.mark.parametrize(
    "packing",
    [
        pytest.param({"block": "1024k"}, id="block"),
        # Its kernel is another.
        pytest.param({"root": "squashfs-lz4"}, id="lz4", marks=pytest.mark.kernels),
    ],
)
def test_the_root_made_by_hand_gives_the_boot_that_was_promised(
    derive: Derive, tmp_path: Path, image: object, packing: dict[str, str]
) -> None:
    perfboard = Perfboard(tmp_path / "data")
    # Files, nodes and libraries of the root, and what it is packed by; in few boots.
    levels = {**packing, "libraries": "static", "nodes": "static"}
    for some in (packing, levels):
        build_image(variant_of(rich_board("verdex"), **some), SilentProgress())
    own_cache(perfboard, tmp_path)
    # Which changes the kernel's command line, too.
    levels["console"] = "quiet"
    words = ["--set", "flash=cached", "--allow", "nodes=static"]
    for factor, level in levels.items():
        words += ["--keep", f"{factor}={level}"]
    kept = [*keep_but("flash", *levels), "--keep", "flash=cached"]
    run = perfboard.json("tune", "boot", "--board", "verdex", *words, *kept)
    advice = result_of(run, "tune")["advice"]
    assert {one["factor"]: one["new"] for one in advice} == levels
    root = root_by_hand(advice, tmp_path, f"root.{levels.get('root', 'squashfs')}")
    options = by_hand(advice, tmp_path)

    def change(board: dict[str, Any]) -> None:
        options(board)
        board["image"]["root"] = {"file": str(root)}

    done = ["study", "boot", "--board", str(derive(change)), "--boots", "1"]
    done += ["--set", "detail=timed", "--set", "flash=cached"]
    assert total(perfboard.json(*done)) == pytest.approx(total(run), rel=1e-4)


@pytest.mark.kernels
def test_a_kernel_and_its_boot_command_made_by_hand_give_the_same_boot(
    derive: Derive, tmp_path: Path, verdex: LoadedBoard
) -> None:
    """It needs a header, another boot command, two devices of flash, and a linear root."""
    loaded = verdex
    changed = {"compression": "none", "root": "cramfs-linear"}
    start = choose(loaded, {"flash": "cached", "detail": "timed"})
    variants = (start, choose(loaded, {**start.levels, **changed}))
    images = [build_image(variant, SilentProgress()) for variant in variants]
    old, new = (
        Build(variant, image.variables, image.arguments)
        for variant, image in zip(variants, images, strict=True)
    )
    lines = {one.where: one for one in lines_between(old, new)}
    nodes = "nodes.txt of that"
    whole = {COMMAND_LINE, CONFIGURATION, KERNEL_IMAGE, BOOTLOADER, ROOT_IMAGE, nodes}
    assert lines.keys() == whole
    config = tmp_path / "kernel.config"
    before = config_of(loaded).read_text()
    config.write_text(before + "".join(f"{line}\n" for line in lines[CONFIGURATION].add))
    arch = loaded.board.machine.architecture
    packages = AptState("armhf", SilentProgress())
    built = build_kernel(arch, packages, "linux-source-6.1", config, SilentProgress())
    make, *others = (shlex.split(line) for line in lines[KERNEL_IMAGE].add)
    assert make == ["make", "vmlinux"]
    shutil.copy(built / "vmlinux", tmp_path)
    for command in others:
        run_tool(command, tmp_path)
    advice = [{"lines": [lines[name].model_dump() for name in (nodes, ROOT_IMAGE)]}]
    root = root_by_hand(advice, tmp_path, "root.cramfs-linear")

    def change(board: dict[str, Any]) -> None:
        board["image"]["kernel"] = {
            "file": str(tmp_path / "uImage"),
            "system_map": str(built / "System.map"),
        }
        board["image"]["root"] = {"file": str(root)}
        variables = dict(line.split("=", 1) for line in lines[BOOTLOADER].add)
        (variables["bootargs"],) = lines[COMMAND_LINE].add
        board["image"]["bootloader"]["variables"] = variables

    perfboard = Perfboard(tmp_path / "data")
    words = ["study", "boot", "--boots", "1", "--set", "detail=timed", "--set", "flash=cached"]
    chosen = [word for item in changed.items() for word in ("--set", "=".join(item))]
    promised = perfboard.json(*words, "--board", "verdex", *chosen)
    done = perfboard.json(*words, "--board", str(derive(change)))
    assert total(done) == pytest.approx(total(promised), rel=1e-4)
