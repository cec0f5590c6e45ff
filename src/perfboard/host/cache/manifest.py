# SPDX-License-Identifier: Apache-2.0
"""The list of a cache folder's files, with sizes and hashes, and whether it still holds.

A manifest has three lines: what the folder was made of and its size on disk, as JSON; its files, as
JSON; and the hash of both lines, so that a damaged manifest is no manifest.
"""

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

from perfboard.host.files.files import replace_file
from perfboard.model.units import format_size

NAME = "manifest.jsonl"
# Raise it when the form of the lines changes: older manifests then count for nothing.
_FORM = "1\n"
# A file has its size, SHA-256 and time of change; a link has its target; a folder has nothing.
Items: TypeAlias = dict[str, list[int | str]]
# As os.stat has it.
_BLOCK = 512


def write_manifest(
    folder: Path,
    place: Path,
    inputs: Mapping[str, str],
    known: Items | None = None,
    took_s: float | None = None,
) -> None:
    """Writes to `place` what `folder` holds, which was made of `inputs` in `took_s`.

    A file of `known` that has not changed since then is not read again. Raises OSError.
    """
    found = dict(_walk(folder, place))
    items: Items = {}
    unread: list[str] = []
    for name, entry in found.items():
        items[name] = _item(entry)
        before = (known or {}).get(name, [])
        if len(before) == 3 and [before[0], before[2]] == items[name]:
            items[name] = before
        elif len(items[name]) == 2:
            unread.append(name)
    for name, digest in zip(unread, _hashes(folder, unread), strict=True):
        items[name].insert(1, digest)
    size = sum(entry.stat(follow_symlinks=False).st_blocks for entry in found.values()) * _BLOCK
    took = {"took_s": round(took_s, 3)} if took_s is not None else {}
    _write(place, {"inputs": dict(inputs), "size": size, **took}, items)


def write_size(folder: Path, place: Path) -> None:
    """Writes to `place` how large `folder` is, and nothing of its files. Raises OSError."""
    _write(place, {"inputs": {}, "size": size_on_disk(folder)}, {})


def _write(place: Path, header: Mapping[str, object], items: Items) -> None:
    text = f"{json.dumps(header)}\n{json.dumps(items)}\n"
    write_sealed(place, text)


def write_sealed(place: Path, text: str) -> None:
    """Writes a text that ends in a new line, and its hash, to a file, whole or not at all."""
    replace_file(place, f"{text}{_seal(text)}\n")


def read_sealed(place: Path) -> str:
    """The text that `write_sealed` wrote. Raises ValueError if it has changed, or OSError."""
    text, _, seal = place.read_bytes().removesuffix(b"\n").rpartition(b"\n")
    whole = text.decode() + "\n"
    if seal.decode() != _seal(whole):
        raise ValueError(f"{place}: is damaged")
    return whole


def _seal(text: str) -> str:
    return hashlib.sha256((_FORM + text).encode()).hexdigest()


def read_size(place: Path) -> int:
    """The folder's size on disk by its manifest at `place`. Raises OSError or ValueError."""
    return int(_number(place, "size"))


def read_took(place: Path) -> float:
    """The seconds that the folder took to be made. Raises OSError or ValueError."""
    return _number(place, "took_s")


def _number(place: Path, name: str) -> float:
    with place.open("rb") as file:
        header = json.loads(file.readline())
    if not isinstance(header, dict) or not isinstance(header.get(name), int | float):
        raise ValueError(f"{place}: has no {name}")
    return float(header[name])


def read_items(place: Path) -> Items:
    """The files by the manifest at `place`. Raises OSError or ValueError."""
    items: Items = json.loads(read_sealed(place).splitlines()[1])
    return items


def find_damage(
    folder: Path, place: Path, inputs: Mapping[str, str] | None, *, unchanged: bool = False
) -> str:
    """The first difference from the manifest at `place`, in words; "" where there is none.

    Every file is read, but with `unchanged` not those whose times say that nobody wrote to them.
    Without `inputs`, it may be made of any.
    """
    try:
        lines = read_sealed(place).splitlines()
        recorded, items = json.loads(lines[0])["inputs"], json.loads(lines[1])
    except FileNotFoundError:
        return "its list of files is missing"
    except PermissionError as error:
        return f"the list of its files: {error.strerror}"
    except (OSError, ValueError):
        return "the list of its files is damaged"
    if inputs is not None and recorded != dict(inputs):
        return "it was made of something else"
    try:
        return _difference(folder, items, dict(_walk(folder, place)), unchanged)
    except OSError as error:
        return f"{error.filename}: {error.strerror}"


def _difference(
    folder: Path, items: Items, found: Mapping[str, "os.DirEntry[str]"], unchanged: bool
) -> str:
    unread: list[str] = []
    for name, item in items.items():
        if name not in found:
            return f"{name} is missing"
        now = _item(found[name])
        if len(item) != 3 or len(now) != 2:
            if item != now:
                return f"{name} is something else than it was"
            continue
        if now[0] != item[0]:
            return f"{name} has {_bytes(now[0])}, not {_bytes(item[0])}"
        if not (unchanged and now[1] == item[2]):
            unread.append(name)
    for name in found:
        if name not in items:
            return f"{name} does not belong to it"
    for name, digest in zip(unread, _hashes(folder, unread), strict=True):
        if items[name][1] != digest:
            return f"the bytes of {name} have changed"
    return ""


def _bytes(size: int | str) -> str:
    return format_size(int(size))


def _item(entry: "os.DirEntry[str]") -> list[int | str]:
    """The item that a manifest has of it, without a file's hash."""
    if entry.is_symlink():
        return [str(Path(entry.path).readlink())]
    if entry.is_dir(follow_symlinks=False):
        return []
    status = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        return [stat.S_IFMT(status.st_mode)]
    return [status.st_size, status.st_ctime_ns]


def _walk(folder: Path, manifest: Path) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    """All in `folder` by its path there, without the manifest itself."""
    ours = os.fspath(manifest)
    folders = [os.fspath(folder)]
    start = len(folders[0]) + 1
    for path in folders:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                if entry.path != ours:
                    yield entry.path[start:], entry


def _hashes(folder: Path, names: Iterable[str]) -> Iterator[str]:
    def digest(name: str) -> str:
        with (folder / name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    # Large files are hashed at once: Python lets go of its lock for that.
    with ThreadPoolExecutor() as pool:
        yield from pool.map(digest, names)


def size_on_disk(folder: Path) -> int:
    """The bytes that a folder takes on the disk, as far as it can be read."""
    size = 0
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            try:
                size += os.lstat(f"{parent}/{name}").st_blocks * _BLOCK
            except OSError:
                continue
    return size
