# SPDX-License-Identifier: Apache-2.0
"""Kernel fragments, and kernels that the user brings."""

import shutil
from pathlib import Path

import pytest

import perfboard.images.kernel.build as kernel_module
from perfboard.boards.loader import load_board
from perfboard.host.cache.cache import cache_root
from perfboard.images.kernel.build import keep_kernel
from perfboard.images.kernel.fragment import dropped_options, read_fragment
from perfboard.model.board.architecture import ARCHITECTURES
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.progress import SilentProgress
from tests.support.board_files import config_of
from tests.support.kernels import make_kernel, make_wide_kernel, make_zimage, with_header

ARMHF = load_board("verdex").board.machine.architecture


def test_options_of_a_fragment(tmp_path: Path) -> None:
    path = tmp_path / "fragment"
    path.write_text(
        "# a comment\n\nCONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=-12\nCONFIG_D=0x1F\n"
        'CONFIG_E="quiet root=/dev/ram0"\nCONFIG_A=n\n'
    )
    assert read_fragment(path) == {
        "CONFIG_A": "n",
        "CONFIG_B": "n",
        "CONFIG_C": "-12",
        "CONFIG_D": "0x1F",
        "CONFIG_E": '"quiet root=/dev/ram0"',
    }


def test_verdexs_fragment_is_read() -> None:
    loaded = load_board("verdex")
    options = read_fragment(config_of(loaded))
    assert options["CONFIG_IPV6"] == options["CONFIG_INET_DIAG"] == "n"
    assert options["CONFIG_SQUASHFS"] == "y"


@pytest.mark.parametrize(
    "line",
    [
        'CONFIG_LOCALVERSION="$(shell touch /tmp/x)"',
        'CONFIG_LOCALVERSION="`id`"',
        "CONFIG_LOCALVERSION=\"';id;'\"",
        "CONFIG_A=m",
        "CONFIG_A",
        "include /etc/passwd",
    ],
)
def test_a_line_that_is_no_option_is_told(tmp_path: Path, line: str) -> None:
    path = tmp_path / "fragment"
    path.write_text(f"CONFIG_A=y\n{line}\n")
    with pytest.raises(UsageError, match=r"fragment: line 2: found "):
        read_fragment(path)


def test_options_that_kconfig_dropped_are_named() -> None:
    wanted = {"CONFIG_A": "y", "CONFIG_B": "n", "CONFIG_C": "12", "CONFIG_D": "y", "CONFIG_E": "n"}
    config = "CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=0x12\nCONFIG_E=y\nCONFIG_AD=y\n"
    assert dropped_options(wanted, config) == [
        "CONFIG_C=12 (came out as 0x12)",
        "CONFIG_D=y (came out as n)",
        "CONFIG_E=n (came out as y)",
    ]
    assert dropped_options({"CONFIG_A": "y", "CONFIG_B": "n"}, config) == []
    assert dropped_options({"CONFIG_A": "m"}, "CONFIG_A=m\n") == []
    assert dropped_options({"CONFIG_A": "m"}, "CONFIG_A=y\n") == ["CONFIG_A=m (came out as y)"]


def test_an_own_kernel_and_its_map_are_copied(tmp_path: Path) -> None:
    image, text = make_kernel()
    kernel, system_map = tmp_path / "vmlinuz", tmp_path / "map"
    kernel.write_bytes(make_zimage(image))
    system_map.write_text(text)
    folder = keep_kernel(ARMHF, kernel, system_map, SilentProgress())
    assert folder.is_relative_to(cache_root())
    assert (folder / "zImage").read_bytes() == make_zimage(image)
    assert (folder / "System.map").read_text() == text
    assert not (keep_kernel(ARMHF, kernel, None, SilentProgress()) / "System.map").exists()


def test_an_own_kernel_may_have_a_header_for_bootm(tmp_path: Path) -> None:
    image, text = make_kernel()
    kernel, system_map = tmp_path / "uImage", tmp_path / "map"
    kernel.write_bytes(with_header(image))
    system_map.write_text(text)
    folder = keep_kernel(ARMHF, kernel, system_map, SilentProgress())
    assert (folder / "zImage").read_bytes() == kernel.read_bytes()
    i386 = next(arch for arch in ARCHITECTURES if arch.name == "i386")
    with pytest.raises(UsageError, match="which is what the emulator starts"):
        keep_kernel(i386, kernel, None, SilentProgress())
    kernel.write_bytes(with_header(image, 22))
    with pytest.raises(UsageError, match="has a header for U-Boot, by which it is no kernel for"):
        keep_kernel(ARMHF, kernel, None, SilentProgress())


def test_an_own_kernel_with_anothers_map_is_refused_each_time(tmp_path: Path) -> None:
    kernel, system_map = tmp_path / "vmlinuz", tmp_path / "map"
    kernel.write_bytes(make_zimage(make_kernel()[0]))
    system_map.write_text(make_kernel(grown=4)[1])
    for _ in range(2):
        with pytest.raises(UsageError, match=r"is the System.map of another kernel"):
            keep_kernel(ARMHF, kernel, system_map, SilentProgress())


def test_a_file_that_is_no_zimage_is_refused(tmp_path: Path) -> None:
    kernel = tmp_path / "vmlinux"
    kernel.write_bytes(b"\x7fELF")
    with pytest.raises(UsageError, match="vmlinux: is not a kernel for armhf as zImage"):
        keep_kernel(ARMHF, kernel, None, SilentProgress())


def test_each_architecture_takes_its_own_kernels_alone(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel"
    for content, fits in (
        (make_zimage(make_kernel()[0]), "armhf"),
        (make_wide_kernel()[0], "arm64"),
    ):
        kernel.write_bytes(content)
        for arch in ARCHITECTURES:
            if arch.name == fits:
                kept = keep_kernel(arch, kernel, None, SilentProgress()) / arch.kernel_name
                assert kept.read_bytes() == content
            else:
                with pytest.raises(UsageError, match=f"is not a kernel for {arch.name}"):
                    keep_kernel(arch, kernel, None, SilentProgress())


@pytest.mark.skipif(shutil.which("make") is None, reason="has no make")
def test_a_failing_build_keeps_its_whole_output(tmp_path: Path) -> None:
    folder, objects = tmp_path / "key.unfinished", tmp_path / "tree" / "objects"
    folder.mkdir()
    objects.mkdir(parents=True)
    (objects / ".config").write_text("CONFIG_A=y\n")
    (objects.parent / "Makefile").write_text(
        'zImage:\n\t@echo "  CC      a.o"; seq 100; echo "a.c:3: error"; false\n'
    )
    cache_root().mkdir(parents=True)
    with pytest.raises(EnvironmentLacksError, match=r"a\.c:3: error") as caught:
        kernel_module.make_kernel(ARMHF, objects, folder, 1, SilentProgress())
    kept = cache_root() / "logs" / "kernel-key.log"
    assert str(kept) in str(caught.value)
    assert kept.read_text().startswith("  CC      a.o\n1\n2\n")
    assert list(folder.iterdir()) == []
