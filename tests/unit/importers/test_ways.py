# SPDX-License-Identifier: Apache-2.0
"""A log comes by a pipe, compressed, in a folder, or several at once: the run is the same."""

import bz2
import gzip
import lzma
import os
import shutil
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from perfboard.host.programs.unpack import unpacked
from perfboard.importers.base import SavedFile
from perfboard.importers.ways import files_of, opened_files
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.results.boot import BootResult
from perfboard.model.run import Run
from perfboard.store.folder import find_run
from tests.support.captures import saleae_binary
from tests.support.command import call, imported
from tests.support.import_cases import FOLDER
from tests.support.recorded import DATA

LOG = FOLDER / "way-pipe" / "input.log"
ROUTER = DATA / "import" / "tio-router.log"


def zstd(data: bytes) -> bytes:
    return subprocess.run(["zstd", "-qc"], input=data, capture_output=True, check=True).stdout


PACKS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
}


def marks(run: Run) -> list[tuple[str, int]]:
    (result,) = run.results_of(BootResult)
    return [(mark.name, mark.t_ns) for mark in result.boots[0].marks]


@pytest.mark.parametrize("suffix", PACKS)
def test_a_compressed_log_is_read_and_kept_as_it_came(
    homes: Path, suffix: str, tmp_path: Path
) -> None:
    if suffix == "zst" and shutil.which("zstd") is None:
        pytest.skip("zstd is not installed")
    packed = tmp_path / f"board.log.{suffix}"
    packed.write_bytes(PACKS[suffix](LOG.read_bytes()))
    run = imported(str(packed))
    assert marks(run) == marks(imported(str(LOG)))
    assert run.board.name == "board"
    assert (find_run(run.id) / "artifacts" / packed.name).read_bytes() == packed.read_bytes()


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
def test_a_file_of_several_streams_is_read_whole(suffix: str, tmp_path: Path) -> None:
    packed = tmp_path / "a"
    packed.write_bytes(PACKS[suffix](b"one\n") + PACKS[suffix](b"two\n"))
    with opened_files([packed]) as (file,):
        assert file.data == b"one\ntwo\n"


@pytest.mark.parametrize("suffix", PACKS)
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_archive_is_refused(suffix: str, damage: str, tmp_path: Path) -> None:
    if suffix == "zst" and shutil.which("zstd") is None:
        pytest.skip("zstd is not installed")
    data = bytearray(PACKS[suffix](LOG.read_bytes()))
    if damage == "cut":
        del data[len(data) // 2 :]
    else:
        data[len(data) // 2] ^= 0xFF
    packed = tmp_path / "a.log"
    packed.write_bytes(data)
    with pytest.raises(UsageError, match=r"a\.log: "), opened_files([packed]) as (file,):
        # A text whose checksum fails is not read either.
        raise AssertionError(file.data)


def test_an_archive_of_zeros_is_refused_at_the_bound(tmp_path: Path) -> None:
    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(bytes(8 << 20)))
    words = r"a\.gz: unpacks to more than 4 MiB"
    with pytest.raises(UsageError, match=words), unpacked(packed, 4 << 20, packed):
        pass


def test_an_archive_whose_header_asks_for_much_memory_is_refused(tmp_path: Path) -> None:
    small = lzma.compress(b"x" * 9000)
    # The block's header ends with its checksum; a byte of it is the dictionary's size, up to 4 GiB.
    header = bytearray(small[12:20])
    header[4] = 40
    packed = tmp_path / "a.xz"
    packed.write_bytes(small[:12] + header + zlib.crc32(header).to_bytes(4, "little") + small[24:])
    with pytest.raises(UsageError, match="Memory usage limit"), opened_files([packed]):
        pass


def test_a_lacking_zstd_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    packed = tmp_path / "a.zst"
    packed.write_bytes(b"\x28\xb5\x2f\xfd....")
    with pytest.raises(EnvironmentLacksError, match="apt-get install zstd"), opened_files([packed]):
        pass


def test_a_pipe_is_read_to_its_end(homes: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "boot.log"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(LOG.read_bytes()),))
    writer.start()
    run = imported(str(pipe))
    writer.join()
    assert marks(run) == marks(imported(str(LOG)))
    assert run.board.name == "boot" and run.target == "file:boot.log"


def test_the_standard_input_is_a_file(homes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LOG.open() as given:
        monkeypatch.setattr(sys, "stdin", given)
        run = imported("-", "--name", "heron")
    assert run.target == "file:stdin" and run.board.name == "heron"
    kept = find_run(run.id) / "artifacts" / "stdin"
    assert kept.read_bytes() == LOG.read_bytes()


@pytest.mark.parametrize("closed", [True, False])
def test_no_standard_input_is_refused(
    closed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A terminal gives no end by itself.
    main, other = os.openpty()
    with os.fdopen(main, "rb"), os.fdopen(other, "r") as terminal:
        monkeypatch.setattr(sys, "stdin", None if closed else terminal)
        assert call("import", "-") == 2
    assert "pipe a log to it" in capsys.readouterr().err


def test_a_folder_is_its_files_and_says_which_are_left_out(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "logs"
    (folder / "below").mkdir(parents=True)
    for name in ("1.log", "2.log", "below/3.log", ".hidden.log"):
        shutil.copy(ROUTER, folder / name)
    (folder / "README").write_text("These are three boots of the router.\n")
    run = imported(str(folder))
    (result,) = run.results_of(BootResult)
    assert len(result.boots) == 2
    assert [Path(each.path).name for each in run.artifacts] == ["1.log", "2.log"]
    assert "README was left out" in " ".join(capsys.readouterr().out.split())


def test_a_folder_without_a_log_is_refused(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    assert call("import", str(folder)) == 2
    assert "the folder has no files" in capsys.readouterr().err
    (folder / "README").write_text("Nothing yet.\n")
    assert call("import", str(folder)) == 2
    assert "none of 1 files was understood; the first: " in capsys.readouterr().err


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    for number in range(1001):
        (tmp_path / f"{number}.log").touch()
    with pytest.raises(UsageError, match="1,001 files"):
        files_of([tmp_path])


def test_one_file_twice_is_two_boots(homes: Path) -> None:
    run = imported(str(ROUTER), str(ROUTER))
    (result,) = run.results_of(BootResult)
    assert len(result.boots) == 2 and len(run.artifacts) == 2


def test_a_compressed_capture_has_the_channel_of_its_file(tmp_path: Path) -> None:
    packed = tmp_path / "usable.bin.gz"
    packed.write_bytes(gzip.compress(saleae_binary([5_000_000])))
    assert imported(str(packed), "--name", "a").status == "complete"
    with opened_files([packed]) as (file,):
        assert file.stem == "usable"
    assert SavedFile(tmp_path / "usable.bin").stem == "usable"
