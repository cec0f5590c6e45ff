# SPDX-License-Identifier: Apache-2.0
"""The wheel in a clean environment outside the checkout, and the README's answers there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from perfboard.binaries.probe import find_binary
from perfboard.binaries.probe_build import ARCHITECTURES, PARTS, inputs_of
from perfboard.binaries.probes import LIST
from perfboard.images.image import Image
from perfboard.model.progress import SilentProgress

from .conftest import RUN, Perfboard

_ROOT = Path(__file__).parents[2]
_LOG = _ROOT / "tests/data/import/grabserial-camera.log"
_TABLE = "| you have | type | it takes |"


def names_of(architectures: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The binaries of a wheel for some architectures: part and architecture by the file's name."""
    return {f"perfboard-{part}.{arch}": (part, arch) for part in PARTS for arch in architectures}


def make_wheel(folder: Path, architectures: Iterable[str]) -> Path:
    """The wheel of the checkout's files for some architectures, with the cache's binaries."""
    source = folder / "source"
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=_ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for name in (name for name in names if (_ROOT / name).is_file()):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_ROOT / name, source / name)
    probes = source / "build/probe"
    probes.mkdir(parents=True)
    for name, (part, arch) in names_of(architectures).items():
        shutil.copy(find_binary(arch, SilentProgress(), part), probes / name)
        (probes / f"{name}.inputs").write_text(inputs_of(arch, part))
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    chosen = {**os.environ, "PERFBOARD_ARCHITECTURES": " ".join(architectures)}
    subprocess.run([*pip, "--wheel-dir", str(folder), str(source)], env=chosen, check=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For what virtual boards and this machine run: the other binaries take minutes to compile."""
    return make_wheel(tmp_path_factory.mktemp("wheel"), RUN)


@pytest.fixture(scope="module")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and what it asks for, and nothing else."""
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python")]
    options = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    subprocess.run([*pip, "install", *options, str(wheel)], check=True)
    return folder


@pytest.fixture
def installed(clean: Path, tmp_path: Path) -> Perfboard:
    command = Perfboard(tmp_path / "data")
    command.words = [str(clean / "bin/perfboard")]
    # The README's boards are Perfboard's own.
    command.boards = list
    return command


@pytest.mark.binaries
def test_the_wheel_has_a_probe_for_each_architecture(tmp_path: Path) -> None:
    with zipfile.ZipFile(make_wheel(tmp_path, ARCHITECTURES)) as wheel:
        found = {Path(name).name for name in wheel.namelist() if "/binaries/bin/" in name}
    assert found == {*names_of(ARCHITECTURES), LIST}


def test_the_package_has_its_licences_and_the_probes_that_were_chosen(clean: Path) -> None:
    (info,) = clean.glob("lib/python*/site-packages/perfboard-*.dist-info")
    texts = {path.name for path in info.rglob("licenses/**/*") if path.is_file()}
    assert texts == {path.name for path in (_ROOT / "LICENSES").iterdir()}
    bin = info.parent / "perfboard/binaries/bin"
    assert {path.name for path in bin.iterdir()} == {*names_of(RUN), LIST}
    # The watcher with TLS is built at first use.
    assert (info.parent / "perfboard/native/display/tls.c").is_file()


def test_the_readmes_answers_are_had_word_by_word(
    installed: Perfboard, image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    table = (_ROOT / "README.md").read_text().partition(_TABLE)[2].partition("\n\n")[0]
    commands = [shlex.split(line)[1:] for line in re.findall(r"`(perfboard [^`]*)`", table)]
    # The others boot Perfboard's own boards, or need one of the reader's.
    standard, imported, own, judged = (
        tuple(words) for words in commands if not {"--board", "--target"} & {*words}
    )

    shutil.copyfile(_LOG, work / "boot.log")
    shutil.copyfile(image.kernel_file, work / "zImage")
    shutil.copyfile(image.kernel_file.with_name("System.map"), work / "System.map")
    bank = image.banks[1].read_bytes()
    at = bank.index(b"hsqs")
    (work / "rootfs.squashfs").write_bytes(bank[at : at + image.sizes["root"]])

    assert "To measure this machine: ready" in installed("doctor").stdout
    said = installed(*standard).stdout
    assert "A read at random takes" in " ".join(said.split())
    assert installed(*imported).stdout.startswith("First byte to usable: 5.729 s")
    # This root file system has no login.
    said = installed(*own, "--usable", "exec:S99usable").stdout
    assert re.search(r"\ARe[^:]*: [\d.]+ m?s, one boot \(timed, extrapolated\)", said)
    board = (work / "gateway.toml").read_text()

    # The next commit prints more.
    slower = board.replace('"rootfstype=', '"initcall_debug rootfstype=')
    assert slower != board
    (work / "next.toml").write_text(slower)
    said = installed(*judged, code=1).stdout
    assert said.startswith("WORSE: boot.total rose by ")
