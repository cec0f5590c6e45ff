# SPDX-License-Identifier: Apache-2.0
"""The source of kernels that is kept between builds, their objects, and when both go."""

import io
import tarfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from perfboard.images.kernel.tree import kernel_tree
from perfboard.images.packages.apt import AptState
from perfboard.model.board.architecture import ARCHITECTURES, Architecture
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.progress import SilentProgress

ARMHF, ARM64, I386 = ARCHITECTURES
SOURCE = "linux-source-6.1"
# Linux 6.1 names such files in Kconfig, crypto/Kconfig, lib/test_bitmap.c, kernel/bpf/btf.c and
# drivers/pinctrl/renesas/Makefile.
USED = (
    "Documentation/Kconfig",
    "arch/mips/Kconfig",
    "arch/mips/crypto/Kconfig",
    "tools/testing/selftests/kselftest_module.h",
    "arch/sh/include/cpu-sh4/cpu/sh7724.h",
    "tools/lib/bpf/relo_core.c",
    "arch/x86/kernel/cpu/mips/perf.c",
    "samples/Kconfig",
    "drivers/gpu/Documentation/notes.h",
)
UNUSED = (
    "Documentation/arm/README",
    "arch/mips/kernel/head.S",
    "arch/um/drivers/net/Kconfig",
    "tools/testing/kunit/kunit.py",
    "tools/testing/selftests/net/Makefile",
    "tools/perf/Build",
)


@pytest.fixture(autouse=True)
def _compiler(program: Callable[[str, str], None]) -> None:
    """No compiler need be on this machine."""
    for arch in ARCHITECTURES:
        for name in ("gcc", "ld"):
            program(f"{arch.triplet}-{name}", "echo 1")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package as Debian's, whose kernel is a few empty files."""
    folder = tmp_path / "package" / "usr" / "src"
    folder.mkdir(parents=True)
    with tarfile.open(folder / f"{SOURCE}.tar.xz", "w:xz") as archive:
        for name in ("drivers/Kconfig", "drivers/Makefile", *USED, *UNUSED):
            archive.addfile(tarfile.TarInfo(f"{SOURCE}/{name}"), io.BytesIO())
    return tmp_path / "package"


def opened(
    package: Path, arch: Architecture = ARMHF, **wanted: str
) -> AbstractContextManager[Path]:
    known: Any = SimpleNamespace(
        resolve=lambda name: SimpleNamespace(name=name, version="6.1", sha256="0"),
        unpack=lambda name: package,
    )
    return kernel_tree(arch, cast(AptState, known), SOURCE, wanted, SilentProgress())


def test_what_a_build_leaves_is_there_for_the_next(package: Path) -> None:
    with opened(package) as objects:
        assert (objects.parent / "drivers" / "Kconfig").is_file()
        (objects / "built.o").touch()
    with opened(package) as again:
        assert again == objects
        assert (again / "built.o").exists()


def test_architectures_share_the_source_and_have_objects_apart(package: Path) -> None:
    with opened(package) as objects:
        (objects / "built.o").touch()
    with opened(package, ARM64) as others:
        assert others.parent == objects.parent
        assert not (others / "built.o").exists()
        (others / "built.o").touch()
    with opened(package, CONFIG_PERFBOARD_DISK="y") as again:
        assert again == objects and (again / "built.o").exists()
        ours = [*(again.parent / "drivers" / "perfboard").iterdir()]
        written = {path: path.stat().st_mtime_ns for path in ours}
    # make would compile a driver anew that is written anew.
    with opened(package, I386, CONFIG_PERFBOARD_DISK="y"):
        assert {path: path.stat().st_mtime_ns for path in ours} == written


def test_objects_of_another_compiler_go(package: Path, program: Callable[[str, str], None]) -> None:
    with opened(package) as objects:
        (objects / "built.o").touch()
    with opened(package, ARM64) as others:
        pass
    program(f"{ARMHF.triplet}-gcc", "echo 2")
    with opened(package) as again:
        assert again.parent == objects.parent
        assert not objects.exists() and others.exists()
        assert not (again / "built.o").exists()


def test_what_no_board_can_use_is_not_unpacked(package: Path) -> None:
    with opened(package) as objects:
        source = objects.parent
        assert [name for name in USED if not (source / name).is_file()] == []
        assert [name for name in UNUSED if (source / name).exists()] == []


def test_an_option_that_the_kernel_has_not_leaves_the_source_as_it_is(package: Path) -> None:
    with pytest.raises(UsageError), opened(package) as objects:
        (objects / "built.o").touch()
        raise UsageError("dropped")
    with opened(package) as again:
        assert (again / "built.o").exists()


def test_of_an_interrupted_build_nothing_is_taken(package: Path) -> None:
    with pytest.raises(KeyboardInterrupt), opened(package) as objects:
        (objects / "half.o").touch()
        raise KeyboardInterrupt
    with opened(package) as again:
        assert not (again / "half.o").exists()
        assert (again.parent / "drivers" / "Kconfig").is_file()


def test_it_has_the_drivers_that_are_asked_for(package: Path) -> None:
    for options in ({"CONFIG_PERFBOARD_DISK": "y"}, {"CONFIG_PERFBOARD_CLOCK": "y"}, {}):
        with opened(package, ARMHF, **options) as objects:
            tree = objects.parent
            ours = tree / "drivers" / "perfboard"
            files = {path.name for path in ours.iterdir()}
            names = {option.removeprefix("CONFIG_").lower() for option in options}
            assert files == {"Kconfig", "Makefile", *(f"{name}.c" for name in names)}
            assert (ours / "Makefile").read_text().count("+=") == len(names)
            # The kernel's own files name ours once.
            assert (tree / "drivers" / "Makefile").read_text() == "obj-y += perfboard/\n"
            assert (tree / "drivers" / "Kconfig").read_text().count("source") == 1


def test_a_package_without_a_source_is_refused(package: Path) -> None:
    (package / "usr" / "src" / f"{SOURCE}.tar.xz").unlink()
    with pytest.raises(UsageError, match=f"has no usr/src/{SOURCE}.tar.xz"), opened(package):
        pass


def test_an_archive_that_ends_early_is_an_error_and_tried_again(package: Path) -> None:
    archive = package / "usr" / "src" / f"{SOURCE}.tar.xz"
    whole = archive.read_bytes()
    # xz tells of its length at the end, so that what is cut is in the middle.
    archive.write_bytes(whole[:70] + bytes(8) + whole[78:])
    with pytest.raises(EnvironmentLacksError, match="cannot unpack"), opened(package):
        pass
    archive.write_bytes(whole)
    with opened(package) as objects:
        assert (objects.parent / "drivers" / "Kconfig").is_file()
