# SPDX-License-Identifier: Apache-2.0
"""The lines by which one image differs from another."""

from dataclasses import replace

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.recipe import Recipe
from perfboard.images.root.recipe import RootRecipe
from perfboard.images.root.tree import contents_of
from perfboard.model.results.tune import FileLines
from perfboard.studies.tune.advice import Build, lines_between
from tests.support.variants import variant_of

BOARD = load_board("verdex").board


def _made(recipe: Recipe | None = None, bootargs: str = "", **variables: str) -> Build:
    variant = variant_of()
    if recipe is not None:
        variant = replace(variant, recipe=recipe)
    return Build(variant, {"bootargs": bootargs, **variables})


def _at(**levels: str) -> Build:
    return Build(variant_of(**levels), {"bootargs": ""})


def test_nothing_changed_is_no_line() -> None:
    assert lines_between(_made(), _made()) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("console=a,9600 root=/dev/x ro", "root=/dev/x quiet"),
        ("quiet root=/dev/x", "root=/dev/x quiet"),
    ],
)
def test_the_kernels_command_line_is_told_whole_for_its_words_order(old: str, new: str) -> None:
    assert lines_between(_made(bootargs=old), _made(bootargs=new)) == (
        FileLines(where="kernel command line", remove=(old,), add=(new,)),
    )
    assert lines_between(_made(), _made(bootargs=new)) == (
        FileLines(where="kernel command line", add=(new,)),
    )


def test_a_disks_arguments_are_the_kernels_too() -> None:
    old = Build(variant_of(), {}, "a b")
    new = replace(old, arguments="a c")
    assert lines_between(old, new) == (
        FileLines(where="kernel command line", remove=("a b",), add=("a c",)),
    )


def test_options_of_the_kernel_as_its_config_has_them() -> None:
    old = _made(Recipe(BOARD, options={"CONFIG_A": "y", "CONFIG_B": "3"}))
    new = _made(Recipe(BOARD, options={"CONFIG_B": "n", "CONFIG_C": '"text"'}))
    assert lines_between(old, new) == (
        FileLines(
            where="kernel configuration",
            remove=("CONFIG_A=y", "CONFIG_B=3"),
            add=("# CONFIG_B is not set", 'CONFIG_C="text"'),
        ),
    )


def test_variables_of_the_bootloader() -> None:
    old, new = _made(bootcmd="bootz 1", verify="n"), _made(bootcmd="bootm 1")
    assert lines_between(old, new) == (
        FileLines(
            where="U-Boot environment",
            remove=("bootcmd=bootz 1", "verify=n"),
            add=("bootcmd=bootm 1",),
        ),
    )


def test_the_boards_file_where_a_level_changes_what_it_says() -> None:
    console = BOARD.console.model_copy(update={"baud": 9600})
    new = _made(Recipe(BOARD.model_copy(update={"console": console})))
    assert lines_between(_made(), new) == (
        FileLines(
            where="board file", remove=("console.baud = 115200",), add=("console.baud = 9600",)
        ),
    )


def test_the_flashs_set_up_says_what_it_stands_for() -> None:
    (lines,) = lines_between(_at(), _at(flash="cached"))
    assert lines.where == "board file"
    assert lines.words.startswith("turn the MMU and the data cache on in the bootloader")
    assert "; the boot study of 2009: 19 MB/s read through MTD" in lines.words
    assert lines.remove == ('timing.flash.caching = "code"', 'timing.flash.next = "515 ns"')
    assert lines.add == ('timing.flash.caching = "cached"', 'timing.flash.next = "36 ns"')


def test_another_image_of_the_kernel_is_the_commands_that_make_it() -> None:
    told = _told(check="crc32")["image of the kernel"]
    assert told.remove == () and told.add[0].endswith("-d zImage uImage")
    told = _told(kernel="xip")["image of the kernel"]
    assert told.remove == ("make zImage",) and told.add[0] == "make xipImage"
    assert " -e 0x100040 " in told.add[1]


def test_without_a_bootloader_it_says_what_is_there_instead() -> None:
    told = _told(bootloader="none")["where the processor begins"]
    assert told.remove == ("U-Boot",)
    assert told.add[0].startswith("perfboard/images/bootloader/start.S, ")
    assert "direct" not in _told(bootloader="none")


def test_a_compression_is_lines_of_the_kernels_configuration() -> None:
    new = _at(compression="lz4")
    (lines,) = lines_between(_made(), new)
    assert lines.where == "kernel configuration" and "CONFIG_KERNEL_LZ4=y" in lines.add


def _told(**levels: str) -> dict[str, FileLines]:
    new = _at(**levels)
    return {lines.where: lines for lines in lines_between(_made(), new)}


def test_another_file_system_is_the_command_that_makes_it() -> None:
    told = _told(root="squashfs-lz4")["image of the root"]
    (old,), (new,) = told.remove, told.add
    assert old.startswith("mksquashfs root root.squashfs -comp gzip ")
    assert new.startswith("mksquashfs root root.squashfs-lz4 -comp lz4 ") and "-Xhc" in new
    told = _told(root="cramfs-xip")["image of the root"]
    assert "--in-place=bin/busybox cramfs root root.cramfs-xip" in told.add[0]
    told = _told(root="erofs")["image of the root"]
    assert "fakeroot" in told.words and told.add[-1].startswith("mkfs.erofs ")
    ubifs = _told(root="ubifs")
    assert [line.split()[0] for line in ubifs["image of the root"].add] == ["mkfs.ubifs", "ubinize"]
    assert "vol_type=dynamic" in ubifs["volume.ini of that"].add


def test_files_by_use_are_the_order_that_the_command_reads() -> None:
    told = _told(order="use")
    assert "-sort order.txt" in told["image of the root"].add[0]
    first, *_, last = told["order.txt of that"].add
    assert (first, last) == ("bin/busybox 9", "usr/share/random.bin 1")


def test_static_programs_are_other_programs_and_no_libraries() -> None:
    told = _told(libraries="static")
    folder = told["folder of the root"]
    assert "lib/libc.so.6" in folder.remove
    assert folder.add[0] == "bin/busybox: BusyBox, linked statically: Debian's busybox-static"
    assert folder.add[1].startswith("gcc ") and " -static " in folder.add[1]
    assert "image of the root" not in told


def test_programs_with_another_libc_are_made_from_their_source() -> None:
    folder = _told(libraries="musl")["folder of the root"]
    assert "lib/libc.so.6" in folder.remove
    busybox, application = folder.add
    assert "CC=musl-gcc" in busybox and "without CONFIG_EXTRA_COMPAT and " in busybox
    assert application.startswith("musl-gcc ") and " -static " in application
    ordered = _told(libraries="musl", order="functions")["folder of the root"].add
    assert set(ordered) - set(folder.add) == {
        "bin/busybox: linked with -Wl,-T,perfboard/images/root/busybox.ld"
    }


def test_the_scripts_and_nodes_of_the_root_are_told_line_by_line() -> None:
    new = _at(nodes="saved")
    found = {lines.where: lines for lines in lines_between(_made(), new)}
    script = found["/etc/init.d/S20devices"]
    assert "mdev -s" in script.remove
    assert "busybox tar -x -f /etc/devices.tar -C /dev" in script.add
    assert "mknod -m 660 /dev/mtd0 c 90 0" in found["/etc/devices.tar"].add
    assert found["/etc/devices.tar"].words == "a new file"
    back = {lines.where: lines for lines in lines_between(new, _made())}
    assert back["/etc/devices.tar"].words == "a file less"


def test_another_init_brings_its_files() -> None:
    new = _at(init="parallel")
    found = {lines.where: lines for lines in lines_between(_made(), new)}
    assert any("startpar" in line for line in found["/etc/init.d/rcS"].add)
    assert found["/etc/init.d/.depend.boot"].words == "a new file"


@pytest.mark.parametrize(
    "levels",
    [
        *({"init": level} for level in ("parallel", "application")),
        *({"nodes": level} for level in ("devtmpfs", "saved", "static")),
        *({"drivers": level} for level in ("module", "deferred")),
        {"order": "use"},
    ],
)
def test_lines_put_behind_those_that_stay_make_the_files(levels: dict[str, str]) -> None:
    new = _at(**levels)
    before, after = contents_of(RootRecipe()), contents_of(new.variant.recipe.root)
    found = {lines.where: lines for lines in lines_between(_made(), new)}
    for path, lines in after.items():
        told = found.get(path, FileLines(where=path))
        kept = [line for line in before.get(path, ()) if line not in told.remove]
        assert [*kept, *told.add] == list(lines), path


def test_reading_ahead_is_lines_of_a_script_a_list_and_a_node() -> None:
    new, old = (Build(variant_of("converter", readahead=level), {}) for level in ("boot", "none"))
    found = {lines.where: lines for lines in lines_between(old, new)}
    assert set(found) == {"/etc/init.d/rcS", "/etc/readahead", "image of the root"}
    assert "cat $files >/dev/null &" in found["/etc/init.d/rcS"].add
    assert found["/etc/readahead"].words == "a new file"
    assert "'dev/null c 666 0 0 1 3'" in found["image of the root"].add[0]
