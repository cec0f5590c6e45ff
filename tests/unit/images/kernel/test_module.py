# SPDX-License-Identifier: Apache-2.0
"""Drivers as modules for a kernel of the user's own: what is asked of its tree, and what is run."""

from pathlib import Path

import pytest

from perfboard.images.kernel.module import build_module, module_names, read_tree
from perfboard.model.errors import BuildError, EnvironmentLacksError, UsageError
from perfboard.model.progress import SilentProgress
from tests.support.command import call

# It says how it was called, and leaves a module that is no more than that.
MAKEFILE = """\
modules:
\ttest -f $(M)/perfboard_wake.c && test -f $(M)/perfboard_wake_policy.h
\tcat $(M)/Kbuild > $(CURDIR)/called
\techo '$(ARCH) $(CROSS_COMPILE)' >> $(CURDIR)/called
\tprintf 'x\\0vermagic=6.12.3-own SMP \\0' > $(M)/perfboard_wake.ko
"""
CONFIG = """\
# Linux/arm64 6.12.3 Kernel Configuration
CONFIG_CC_VERSION_TEXT="gcc (Debian 12.2.0-14) 12.2.0"
CONFIG_MODULES=y
CONFIG_HIGH_RES_TIMERS=y
CONFIG_SND=m
# CONFIG_INET is not set
"""


def tree(folder: Path, config: str = CONFIG) -> Path:
    (folder / "include/config").mkdir(parents=True)
    (folder / "scripts/mod").mkdir(parents=True)
    (folder / "scripts/mod/modpost").touch()
    (folder / "include/config/kernel.release").write_text("6.12.3\n")
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / ".config").write_text(config)
    return folder


def build(folder: Path, into: Path, name: str = "wake") -> tuple[Path, str]:
    return build_module(name, read_tree(folder), into, SilentProgress())


def test_the_kernels_own_makefile_builds_it(tmp_path: Path) -> None:
    kernel = tree(tmp_path / "kernel")
    path, release = build(kernel, tmp_path)
    assert path == tmp_path / "perfboard_wake.ko" and path.stat().st_size > 0
    # The release is the module's own: Debian's headers have the upstream's in their file.
    assert release == "6.12.3-own"
    assert (kernel / "called").read_text().splitlines() == [
        "obj-m := perfboard_wake.o",
        "arm64 aarch64-linux-gnu-",
    ]


def test_the_command_says_how_it_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--kernel", str(tree(tmp_path / "kernel")), "--into", str(tmp_path))
    assert call("build-module", "wake", *words) == 0
    said = capsys.readouterr().out
    assert "is for kernel 6.12.3-own (arm64)" in said and "sudo insmod perfboard_wake.ko" in said


def test_the_marks_on_a_line_come_with_what_the_bootloader_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tree(tmp_path / "kernel", f"{CONFIG}CONFIG_GPIOLIB=y\nCONFIG_TRACEPOINTS=y\n")
    makefile = folder / "Makefile"
    text = makefile.read_text().replace("perfboard_wake_policy.h", "perfboard_gpio.c")
    makefile.write_text(text.replace("perfboard_wake", "perfboard_gpio"))
    words = ("--kernel", str(folder), "--into", str(tmp_path))
    assert call("build-module", "gpio", *words) == 0
    said = capsys.readouterr().out
    assert "sudo insmod perfboard_gpio.ko chip=LABEL line=N" in said
    assert "setenv bootcmd 'gpio set PIN; run perfboard_boot'" in said
    assert max(map(len, said.replace(str(tmp_path), "").splitlines())) <= 80


def test_those_that_can_be_modules_are_known() -> None:
    assert module_names() == ["gpio", "nic", "wake"]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (CONFIG.replace("CONFIG_MODULES=y", "# CONFIG_MODULES is not set"), "has no modules"),
        (CONFIG.replace("CONFIG_HIGH_RES_TIMERS=y\n", ""), "needs CONFIG_HIGH_RES_TIMERS"),
    ],
)
def test_a_kernel_that_lacks_something_is_refused(tmp_path: Path, config: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        build(tree(tmp_path / "kernel", config), tmp_path)


def test_the_compiler_of_the_environment_goes_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROSS_COMPILE", "arm-nowhere-")
    with pytest.raises(EnvironmentLacksError, match="arm-nowhere-gcc is missing"):
        build(tree(tmp_path / "kernel"), tmp_path)


def test_a_missing_compiler_is_named(tmp_path: Path) -> None:
    config = CONFIG.replace('"gcc (', '"/opt/bin/mips-nowhere-gcc-12 (')
    with pytest.raises(EnvironmentLacksError, match="mips-nowhere-gcc is missing"):
        build(tree(tmp_path / "kernel", config), tmp_path)


def test_folders_that_are_no_kernels_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no kernel's build tree"):
        read_tree(tmp_path)
    kernel = tree(tmp_path / "kernel")
    (kernel / "scripts/mod/modpost").unlink()
    with pytest.raises(UsageError, match="modules_prepare"):
        read_tree(kernel)


def test_other_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r'no module "wakes".*nic, wake'):
        build(tree(tmp_path / "kernel"), tmp_path, "wakes")


def test_a_build_that_fails_shows_its_last_lines(tmp_path: Path) -> None:
    kernel = tree(tmp_path / "kernel")
    (kernel / "Makefile").write_text("modules:\n\t@echo it broke; false\n")
    with pytest.raises(BuildError, match="it broke"):
        build(kernel, tmp_path)
