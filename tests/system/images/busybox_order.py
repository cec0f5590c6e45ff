# SPDX-License-Identifier: Apache-2.0
"""Which functions of BusyBox a boot of verdex uses, in the order of their first use.

    python -m tests.system.images.busybox_order

writes images/root/busybox.ld anew. Each function has a mark, which costs the guest nothing. The
boot has no bootloader, whose code would run at the same addresses; the application's does, and is
left out.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from perfboard.bench.boot.virtual import marks_to_watch
from perfboard.binaries.scope import build_plugin
from perfboard.boards.loader import LoadedBoard, load_board
from perfboard.factors.choose import choose
from perfboard.images.image import build_image
from perfboard.images.packages.apt import AptState
from perfboard.images.root.musl import ORDER, build_busybox
from perfboard.images.root.recipe import APPLICATION
from perfboard.instruments.scope import WatchedMark
from perfboard.model.progress import SilentProgress
from perfboard.targets.virtual.target import VirtualTarget
from tests.support.rich_boards import rich_board

LEVELS = {"libraries": "musl", "bootloader": "none"}
# An input section of the linker's map: its name, address, size, and file.
_PLACED = re.compile(r"^ (\.text\S*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE)
_HEAD = """\
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of BusyBox that a boot of verdex uses, as it uses it first, before all other code.
 * GNU ld, "INSERT". Written by tests/system/images/busybox_order.py.
 */
SECTIONS
{
	.text.first :
	{
"""
_TAIL = "\t}\n}\nINSERT BEFORE .text;\n"


def used_sections(levels: dict[str, str]) -> list[str]:
    """The input sections that ran until verdex was usable, as the linker names them."""
    loaded = load_board(rich_board("verdex"))
    arch = loaded.board.machine.architecture
    packages = AptState(arch.name, SilentProgress())
    built = build_busybox(arch, packages, levels.get("order") == "functions", SilentProgress())
    sections = {
        int(address, 16): (int(address, 16) + int(size, 16), _pattern(name, file))
        for name, address, size, file in _PLACED.findall(
            (built / "busybox_unstripped.map").read_text()
        )
        if int(size, 16) and int(address, 16)
    }
    with (built / "busybox_unstripped").open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        # The lowest bit says that a function is Thumb code.
        functions = {
            one["st_value"] & ~1
            for one in table.iter_symbols()
            if one["st_info"]["type"] == "STT_FUNC"
        }
    found = [
        pattern
        for address in ran_in_boot(loaded, LEVELS | levels, functions - {0})
        for start, (end, pattern) in sections.items()
        if start <= address < end
    ]
    return list(dict.fromkeys(found))


def ran_in_boot(
    loaded: LoadedBoard, levels: dict[str, str], functions: Iterable[int]
) -> Iterator[int]:
    """At which of these addresses a program but the application came by, first of all first."""
    variant = choose(loaded, levels)
    image = build_image(variant, SilentProgress())
    target = VirtualTarget(variant, image)
    marks = [WatchedMark(f"ran.{address:x}", address) for address in sorted(functions)]
    watched = (*marks_to_watch(target.board, image), *marks)
    scope = target.scope(build_plugin(SilentProgress()), watched)
    with TemporaryDirectory() as name:
        boot = target.boot([scope], Path(name), lambda _: None, Event())
    program = ""
    for mark in boot.marks:
        kind, _, what = mark.name.partition(":")
        program = what if kind == "exec" else program
        if mark.name.startswith("ran.") and program != Path(APPLICATION).name:
            yield int(mark.name.removeprefix("ran."), 16)


def _pattern(section: str, file: str) -> str:
    if section != ".text":
        return f"*({section})"
    archive, _, member = Path(file).name.rstrip(")").partition("(")
    return f"*{archive}:{member}(.text)" if member else f"*{archive}(.text)"


def main() -> None:
    lines = "".join(f"\t\t{pattern}\n" for pattern in used_sections({}))
    ORDER.write_text(f"{_HEAD}{lines}{_TAIL}")


if __name__ == "__main__":
    main()
