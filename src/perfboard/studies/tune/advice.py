# SPDX-License-Identifier: Apache-2.0
"""The changes to one's own build: the difference of the inputs of two images."""

import dataclasses
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from perfboard.images.bootloader.device_tree import settings
from perfboard.images.kernel.image import image_commands
from perfboard.images.root.build import has_reference, room_for_root
from perfboard.images.root.commands import RootCommands, commands_of
from perfboard.images.root.tree import contents_of, making_of, nodes_of
from perfboard.images.variant import Variant
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.results.tune import FileLines

COMMAND_LINE = "kernel command line"
CONFIGURATION = "kernel configuration"
KERNEL_IMAGE = "image of the kernel"
FIRST = "where the processor begins"
BOOTLOADER = "U-Boot environment"
TREE = "U-Boot's device tree"
ROOT_FOLDER = "folder of the root"
ROOT_IMAGE = "image of the root"
BOARD_FILE = "board file"
_IN_FAKEROOT = "all in one session of fakeroot, next to the folder root"

# Keys next to a hardware set-up: the change on the real board, its source, and how sure it is.
_WORDS = (".advice", ".source")
_NO_SETUP = (*_WORDS, ".kind")


@dataclasses.dataclass(frozen=True)
class Build:
    """The inputs of an image, and its settings."""

    variant: Variant
    # U-Boot's.
    variables: Mapping[str, str]
    # The kernel's, where there is no U-Boot.
    arguments: str = ""


def lines_between(old: Build, new: Build) -> tuple[FileLines, ...]:
    """The lines by which `new` differs from `old`, by the place that they stand in."""
    found = (
        _command_line(old, new),
        _configuration(old.variant.recipe.options, new.variant.recipe.options),
        _changed(KERNEL_IMAGE, _making(old), _making(new)),
        _changed(FIRST, _first(old), _first(new)),
        _bootloader(BOOTLOADER, _stored(old), _stored(new)),
        _bootloader(TREE, _settings(old), _settings(new)),
        *_files(contents_of(old.variant.recipe.root), contents_of(new.variant.recipe.root)),
        _changed(
            ROOT_FOLDER, making_of(old.variant.recipe.root), making_of(new.variant.recipe.root)
        ),
        *_image(_commands(old), _commands(new)),
        _tables(_board_of(old.variant), _board_of(new.variant)),
    )
    return tuple(lines for lines in found if lines.remove or lines.add)


def _changed(where: str, was: Sequence[str], now: Sequence[str], words: str = "") -> FileLines:
    return FileLines(
        where=where,
        words=words,
        remove=tuple(line for line in was if line not in now),
        add=tuple(line for line in now if line not in was),
    )


def _command_line(old: Build, new: Build) -> FileLines:
    """The whole lines: the order of the words counts in the time that a boot takes."""
    before, after = (build.variables.get("bootargs", build.arguments) for build in (old, new))
    return _changed(COMMAND_LINE, [before] if before else [], [after] if after else [])


def _configuration(old: Mapping[str, str], new: Mapping[str, str]) -> FileLines:
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return FileLines(
        where=CONFIGURATION,
        remove=tuple(_option(name, old[name]) for name in changed if name in old),
        add=tuple(_option(name, new[name]) for name in changed if name in new),
    )


def _option(name: str, value: str) -> str:
    return f"# {name} is not set" if value == "n" else f"{name}={value}"


def _making(build: Build) -> tuple[str, ...]:
    return _lines(image_commands(build.variant.recipe))


def _bootloader(where: str, old: Mapping[str, str], new: Mapping[str, str]) -> FileLines:
    """The lines that only one of them has, by name."""
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return FileLines(
        where=where,
        remove=tuple(old[name] for name in changed if name in old),
        add=tuple(new[name] for name in changed if name in new),
    )


def _first(build: Build) -> tuple[str, ...]:
    if build.variant.recipe.direct:
        return (
            "perfboard/images/bootloader/start.S, assembled for this board: it copies the rest, "
            "and jumps",
            "the device tree, 4096 bytes after it, with the kernel's command line in /chosen",
        )
    return ("U-Boot",) if isinstance(build.variant.board, FlashBoard) else ()


def _stored(build: Build) -> dict[str, str]:
    """U-Boot's variables in flash, without the kernel's command line."""
    if build.variant.recipe.environment != "flash":
        return {}
    return {name: f"{name}={v}" for name, v in build.variables.items() if name != "bootargs"}


def _settings(build: Build) -> dict[str, str]:
    """U-Boot's settings in the device tree, without the kernel's command line."""
    if build.variant.recipe.environment != "tree":
        return {}
    found = settings(build.variables)["config"]
    return {name: f"/config {name} = {value};" for name, value in found.items()}


def _files(
    old: Mapping[str, tuple[str, ...]], new: Mapping[str, tuple[str, ...]]
) -> Iterator[FileLines]:
    """Lines of the root file system's own files, which other files of it may hold as well.

    Those to add go after those that stay; a file in which they do not is printed whole.
    """
    for path in {**old, **new}:
        words = "a new file" if path not in old else "a file less" if path not in new else ""
        was, now = old.get(path, ()), new.get(path, ())
        lines = _changed(path, was, now, words)
        kept = (line for line in was if line not in lines.remove)
        if (*kept, *lines.add) != tuple(now):
            lines = FileLines(where=path, words="the whole file", remove=was, add=now)
        yield lines


def _commands(build: Build) -> RootCommands:
    """The commands that make the image of the root, if it is the reference system's."""
    board, root = build.variant.board, build.variant.recipe.root
    if not has_reference(board):
        return RootCommands(())
    return commands_of(root, nodes_of(root), *room_for_root(board))


def _image(old: RootCommands, new: RootCommands) -> Iterator[FileLines]:
    was, now = _lines(old.commands), _lines(new.commands)
    words = _IN_FAKEROOT if new.pretended and was != now else ""
    yield _changed(ROOT_IMAGE, was, now, words)
    yield from _files(_by_line(old.files), _by_line(new.files))


def _lines(commands: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(shlex.join(command) for command in commands)


def _by_line(files: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {f"{name} of that": tuple(text.splitlines()) for name, text in files.items()}


def _board_of(variant: Variant) -> dict[str, str]:
    """All that the board's file says of the board as it is emulated and timed, a key a line."""
    timing = variant.board.timing
    table = variant.board.model_dump(mode="json", exclude={"timing"}, exclude_none=True)
    if timing is not None:
        own = {factor: variant.levels[factor] for factor in timing.factors}
        exclude = {"factors", "published", "margin"}
        table["timing"] = timing.at(own).model_dump(mode="json", exclude=exclude)
    return dict(_flat("", table))


def _tables(old: Mapping[str, str], new: Mapping[str, str]) -> FileLines:
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    keys = [key for key in changed if not key.endswith(_NO_SETUP)]
    advice = [json.loads(new[key]) for end in _WORDS for key in changed if key.endswith(end)]
    return FileLines(
        where=BOARD_FILE,
        words="; ".join(words for words in advice if words),
        remove=tuple(f"{key} = {old[key]}" for key in keys if key in old),
        add=tuple(f"{key} = {new[key]}" for key in keys if key in new),
    )


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Dotted keys and values as TOML has them; a list is one value."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), inner)
    elif value is not None:
        yield name, json.dumps(value, default=str, ensure_ascii=False)
