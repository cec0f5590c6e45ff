# SPDX-License-Identifier: Apache-2.0
"""A kernel that is built of a package's source, by makefiles as the kernel's are to be called."""

import io
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from perfboard.images.kernel.build import build_kernel
from perfboard.images.packages.apt import AptState
from perfboard.model.board.architecture import ARCHITECTURES, Architecture
from perfboard.model.progress import SilentProgress

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="has no make")

ARMHF, ARM64, _ = ARCHITECTURES
SOURCE = "linux-source-6.1"
FILES = {
    "drivers/Kconfig": "",
    "drivers/Makefile": "",
    "scripts/kconfig/merge_config.sh": '#!/bin/sh\ncat "$3" > "$2"\n',
    "Makefile": """\
allnoconfig olddefconfig prepare:
	@touch .config
zImage Image:
	@mkdir -p arch/$(ARCH)/boot; echo $(ARCH) $(CURDIR) > arch/$(ARCH)/boot/$@
	@touch vmlinux System.map
modules:
	@mkdir -p include/config net; touch net/one.ko
	@echo 6.1 > include/config/kernel.release; echo net/one.ko > modules.order
""",
}


@pytest.fixture
def package(tmp_path: Path, program: Callable[[str, str], None]) -> Path:
    """A package as Debian's; its kernel tells of what it was built with."""
    for arch in (ARMHF, ARM64):
        for name in ("gcc", "ld"):
            program(f"{arch.triplet}-{name}", "echo 1")
    folder = tmp_path / "package" / "usr" / "src"
    folder.mkdir(parents=True)
    with tarfile.open(folder / f"{SOURCE}.tar.xz", "w:xz") as archive:
        for name, text in FILES.items():
            member = tarfile.TarInfo(f"{SOURCE}/{name}")
            member.size, member.mode = len(text), 0o755
            archive.addfile(member, io.BytesIO(text.encode()))
    return tmp_path / "package"


def built(package: Path, arch: Architecture = ARMHF, **options: str) -> Path:
    known: Any = SimpleNamespace(
        resolve=lambda name: SimpleNamespace(name=name, version="6.1", sha256="0"),
        unpack=lambda name: package,
    )
    fragment = package / "fragment"
    fragment.write_text("CONFIG_A=y\n")
    packages = cast(AptState, known)
    return build_kernel(arch, packages, SOURCE, fragment, SilentProgress(), options)


def test_it_is_built_at_its_objects_in_the_source(package: Path) -> None:
    text = (built(package) / "zImage").read_text()
    assert text.startswith("arm ") and "/objects-armhf-" in text
    other = (built(package, ARM64) / "Image").read_text()
    assert other.startswith("arm64 ") and "/objects-arm64-" in other
    assert Path(text.split()[1]).parent == Path(other.split()[1]).parent


def test_what_make_is_given_makes_another_kernel_but_not_where_the_cache_is(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = built(package)
    assert built(package) == folder
    # Nothing but a variable of make's differs.
    other = built(package, replace(ARMHF, kernel_arch="arm64", kernel="arch/arm64/boot/Image"))
    assert other.name != folder.name
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    elsewhere = built(package)
    assert elsewhere != folder and elsewhere.name == folder.name


def test_modules_and_options_are_of_the_same_objects(package: Path) -> None:
    folder = built(package, CONFIG_B="m")
    assert (folder / "config").read_text() == "CONFIG_A=y\nCONFIG_B=m\n"
    assert (folder / "modules" / "6.1" / "one.ko").is_file()
    assert not (built(package) / "modules").exists()
