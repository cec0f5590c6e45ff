# SPDX-License-Identifier: Apache-2.0
"""The wheel in a clean environment outside the checkout, and the README's answers there."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from perfboard.binaries.probe import find_binary
from perfboard.binaries.probe_build import ARCHITECTURES, PARTS, inputs_of
from perfboard.images.image import Image
from perfboard.model.progress import SilentProgress

from .conftest import Perfboard

_ROOT = Path(__file__).parents[2]
_LOG = _ROOT / "tests/data/import/grabserial-camera.log"
_BINARIES = [(part, arch) for part in PARTS for arch in ARCHITECTURES]
_SECTION = "## Five questions, one command each"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout's files, with the probes that the cache has."""
    source = tmp_path_factory.mktemp("source")
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=_ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for name in (name for name in names if (_ROOT / name).is_file()):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_ROOT / name, source / name)
    probes = source / "build/probe"
    probes.mkdir(parents=True)
    for part, arch in _BINARIES:
        name = f"perfboard-{part}.{arch}"
        shutil.copy(find_binary(arch, SilentProgress(), part), probes / name)
        (probes / f"{name}.inputs").write_text(inputs_of(arch, part))
    made = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(made), str(source)], check=True)
    (found,) = made.glob("*.whl")
    return found


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


def test_the_package_has_its_licences_and_a_probe_for_each_architecture(clean: Path) -> None:
    (info,) = clean.glob("lib/python*/site-packages/perfboard-*.dist-info")
    texts = {path.name for path in info.rglob("licenses/**/*") if path.is_file()}
    assert texts == {path.name for path in (_ROOT / "LICENSES").iterdir()}
    bin = info.parent / "perfboard/binaries/bin"
    names = {path.name for path in bin.iterdir()}
    assert names >= {f"perfboard-{part}.{arch}" for part, arch in _BINARIES}


def test_the_readmes_answers_are_had_word_by_word(
    installed: Perfboard, image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    text = (_ROOT / "README.md").read_text().partition(_SECTION)[2].partition("\n## ")[0]
    lines = [line[4:] for line in text.replace("\\\n", " ").splitlines() if line[:4] == "    "]
    commands = [shlex.split(line, comments=True) for line in lines]
    assert all(words[0] == "perfboard" for words in commands)

    shutil.copyfile(_LOG, work / "boot.log")
    shutil.copyfile(image.kernel_file, work / "zImage")
    shutil.copyfile(image.kernel_file.with_name("System.map"), work / "System.map")
    bank = image.banks[1].read_bytes()
    at = bank.index(b"hsqs")
    (work / "rootfs.squashfs").write_bytes(bank[at : at + image.sizes["root"]])

    assert "To measure this machine: ready" in installed("doctor").stdout
    standard, imported, own, other, compared, judged = (tuple(words[1:]) for words in commands)

    said = installed(*standard).stdout
    assert "A read at random takes" in " ".join(said.split())
    assert installed(*imported).stdout.startswith("First byte to usable: 5.729 s")
    said = installed(*own).stdout
    assert re.search(r"\ARe[^:]*: [\d.]+ m?s, one boot \(timed ±20%\)", said)
    board = (work / "gateway.toml").read_text()
    installed(*other)
    assert "gateway" in (said := installed(*compared).stdout) and "orangepi-pc" in said

    # The next commit prints more.
    slower = board.replace('"rootfstype=', '"initcall_debug rootfstype=')
    assert slower != board
    (work / "next.toml").write_text(slower)
    said = installed(*judged, code=1).stdout
    assert said.startswith("WORSE: boot.total rose by ")
