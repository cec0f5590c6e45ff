# SPDX-License-Identifier: Apache-2.0
"""Our own writer of cramfs, held against a reader that does as Linux does, and a tool."""

import io
import random
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfboard.images.root.cramfs import PAGE, code_pages, write_cramfs
from perfboard.images.root.entries import RootEntry, read_entries, write_cpio
from perfboard.images.root.tree import Node
from perfboard.model.errors import UsageError
from tests.support.cramfs_reader import Cramfs

NAMES = st.text("abcxyz._-é", min_size=1, max_size=9).filter(lambda name: name not in (".", ".."))
# Whole pages and parts of them, that compress well or not at all.
CONTENT = st.builds(
    lambda seed, size, easy: bytes(size) if easy else random.Random(seed).randbytes(size),
    st.integers(0, 9),
    st.sampled_from([0, 1, 5, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 5 * PAGE - 7]),
    st.booleans(),
)


@st.composite
def trees(draw: st.DrawFn) -> list[RootEntry]:
    folders = [""]
    entries: dict[str, RootEntry] = {}
    for _ in range(draw(st.integers(0, 12))):
        path = f"{draw(st.sampled_from(folders))}/{draw(NAMES)}".lstrip("/")
        if path in entries:
            continue
        kind = draw(st.sampled_from([stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK, stat.S_IFCHR]))
        mode = kind | draw(st.sampled_from([0o644, 0o755, 0o777]))
        if kind == stat.S_IFDIR:
            entries[path] = RootEntry(path, mode)
            folders.append(path)
        elif kind == stat.S_IFCHR:
            numbers = draw(st.tuples(st.integers(0, 255), st.integers(0, 255)))
            entries[path] = RootEntry(path, mode, device=numbers)
        elif kind == stat.S_IFLNK:
            entries[path] = RootEntry(path, mode, draw(NAMES).encode())
        else:
            entries[path] = RootEntry(path, mode, draw(CONTENT))
    return sorted(entries.values(), key=lambda entry: entry.path.split("/"))


@settings(deadline=None)
@given(trees(), st.data())
def test_what_is_written_is_read_and_what_should_be_can_be_mapped(
    entries: list[RootEntry], data: st.DataObject
) -> None:
    files = [entry for entry in entries if stat.S_ISREG(entry.mode) and entry.content]
    pages = st.frozensets(st.integers(0, 5))
    in_place = {entry.path: data.draw(pages) for entry in files if data.draw(st.booleans())}
    cramfs = Cramfs(write_cramfs(entries, in_place))
    assert cramfs.entries() == entries
    assert cramfs.files == len(entries)
    for entry in files:
        count = -(-len(entry.content) // PAGE)
        # A whole last page would be read as empty.
        last = count - (len(entry.content) % PAGE == 0)
        for first in range(count):
            wanted = 0
            while first + wanted < last and first + wanted in in_place.get(entry.path, ()):
                wanted += 1
            assert cramfs.mapped(entry, first, count - first) >= min(wanted, count - first)
    assert bool(cramfs.flags & 0x800) == any(
        page < -(-len(entry.content) // PAGE) - (len(entry.content) % PAGE == 0)
        for entry in files
        for page in in_place.get(entry.path, ())
    )


def test_what_is_the_same_lies_there_once() -> None:
    content = random.Random(1).randbytes(3 * PAGE)
    once = write_cramfs([RootEntry("a", stat.S_IFREG | 0o644, content)])
    twice = write_cramfs([RootEntry(name, stat.S_IFREG | 0o644, content) for name in "ab"])
    assert len(twice) == len(once)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (RootEntry("a", stat.S_IFREG, bytes(1 << 24)), "holds less than 16 MiB"),
        (RootEntry("a" * 253, stat.S_IFREG), "a name in a cramfs has 252 bytes"),
        (RootEntry("a", stat.S_IFCHR, device=(256, 0)), "numbers up to 255"),
    ],
)
def test_what_a_cramfs_cannot_hold_is_told(entry: RootEntry, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        write_cramfs([entry])


def test_a_tree_of_files_is_what_fsck_reads(tmp_path: Path) -> None:
    program = shutil.which("fsck.cramfs", path="/sbin:/usr/sbin:/usr/bin")
    assert program, "fsck.cramfs comes with util-linux"
    tree = tmp_path / "tree"
    (tree / "folder/empty").mkdir(parents=True)
    (tree / "folder/file").write_bytes(random.Random(2).randbytes(10_000))
    (tree / "text").write_text("text " * 3000)
    (tree / "link").symlink_to("folder/file")
    image = tmp_path / "image"
    image.write_bytes(write_cramfs(read_entries(tree, ())))
    out = tmp_path / "out"
    subprocess.run([program, f"--extract={out}", str(image)], check=True)
    assert [(e.path, e.content) for e in read_entries(out, ())] == [
        (e.path, e.content) for e in read_entries(tree, ())
    ]


def test_the_code_of_a_program_is_what_is_not_written() -> None:
    from elftools.elf.elffile import ELFFile
    from pydantic_core import _pydantic_core

    # A large one that is always there: the interpreter itself may be all in its library.
    assert _pydantic_core.__file__ is not None
    content = Path(_pydantic_core.__file__).read_bytes()
    pages = code_pages(content)
    program = ELFFile(io.BytesIO(content))
    code, data = (program.get_section_by_name(name) for name in (".text", ".data"))
    assert code is not None and data is not None
    assert data["sh_size"] > PAGE
    assert code["sh_offset"] // PAGE in pages
    assert (data["sh_offset"] + data["sh_size"] - 1) // PAGE not in pages


def test_cpio_reads_what_the_archive_has(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "folder").mkdir(parents=True)
    (tree / "folder/file").write_bytes(b"content")
    (tree / "link").symlink_to("folder/file")
    (tree / "folder").chmod(0o755)
    entries = read_entries(tree, [Node("folder/null", "c", 1, 3, 0o666)])
    assert [entry.path for entry in entries] == ["folder", "folder/file", "folder/null", "link"]
    archive = write_cpio(entries)
    found, at = [], 0
    while True:
        words = [int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        assert archive[at : at + 6] == b"070701"
        name = archive[at + 110 : at + 109 + words[11]].decode()
        at += 110 + words[11]
        at += -at % 4
        content = archive[at : at + words[6]]
        at += words[6] + -words[6] % 4
        if name == "TRAILER!!!":
            break
        found.append(RootEntry(name, words[1], content, (words[9], words[10])))
    assert found == entries and at == len(archive)
