# SPDX-License-Identifier: Apache-2.0
"""What each option brings, by makefiles in the forms that the kernel's are written in."""

import shutil
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.kernel.parts import brought_objects, enabled, folder_variables
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="has no make")

ARMHF = load_board("verdex").board.machine.architecture

# The little of the kernel's scripts/Makefile.build that lists what a folder is made of.
BUILD = """\
obj-y :=
lib-y :=
-include include/config/auto.conf
include $(srctree)/$(obj)/Makefile
lib-y := $(filter-out $(obj-y),$(lib-y))
subdir-ym := $(patsubst %/,%,$(filter %/,$(obj-y)))
parts = $(strip $($(1:.o=-y)) $($(1:.o=-objs)))
real-obj-y := $(foreach m,$(filter-out %/,$(obj-y)),$(or $(call parts,$m),$m))
ifneq ($(obj),.)
lib-y := $(addprefix $(obj)/,$(lib-y))
real-obj-y := $(addprefix $(obj)/,$(real-obj-y))
subdir-ym := $(addprefix $(obj)/,$(subdir-ym))
endif
"""
MAKEFILES = {
    ".": "obj-y += lib/\nobj-y += $(ARCH_CORE)\nobj-$(CONFIG_NET) += net/\nobj-y += fs/\n",
    "board": "obj-y := setup.o\n",
    "lib": "lib-y := sort.o\nlib-$(CONFIG_CRC) += crc.o \\\n\tcrc_table.o\n",
    "net": "obj-y := core.o ../lib/shared.o\nobj-$(CONFIG_UNIX) += unix/\n",
    "net/unix": "obj-$(CONFIG_UNIX) := unix.o\nunix-y := af_unix.o\n"
    "unix-$(CONFIG_SYSCTL) += sysctl.o\n",
    "fs": "ifeq ($(CONFIG_BLOCK),y)\nobj-y += buffer.o\nelse\nobj-y += no-block.o\nendif\n"
    "obj-$(CONFIG_A) += both.o\nobj-$(CONFIG_B) += both.o\nobj-$(CONFIG_ABSENT) += absent.o\n"
    "fat-$(CONFIG_FAT) := fat.o\nobj-y += $(fat-y)\n",
}
ON = ("NET", "UNIX", "SYSCTL", "CRC", "BLOCK", "A", "B", "FAT")


@pytest.fixture
def objects(tmp_path: Path) -> Path:
    """The folder of objects of a source of a few folders, configured."""
    config = "".join(f"CONFIG_{name}=y\n" for name in ON) + "# CONFIG_ABSENT is not set\n"
    for folder, text in MAKEFILES.items():
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "Makefile").write_text(text)
    # Both there: the kernel's build reads the first.
    (tmp_path / "Makefile").rename(tmp_path / "Kbuild")
    (tmp_path / "Makefile").write_text("export ARCH_CORE := board/\nexport srctree := ..\n")
    (tmp_path / "scripts").mkdir()
    build = BUILD.replace(
        "include $(srctree)", "include $(wildcard $(srctree)/$(obj)/Kbuild) $(srctree)"
    )
    (tmp_path / "scripts" / "Makefile.build").write_text(build)
    objects = tmp_path / "objects"
    (objects / "include" / "config").mkdir(parents=True)
    (objects / "include" / "config" / "auto.conf").write_text(config)
    (objects / ".config").write_text(config + 'CONFIG_NAME="y"\nCONFIG_SHIFT=14\n')
    return objects


def test_what_is_built_in() -> None:
    text = 'CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C="y"\nCONFIG_D=17\nCONFIG_E=m\nCONFIG_F2=y\n'
    assert enabled(text) == {"CONFIG_A", "CONFIG_F2"}


def test_what_each_option_brings(objects: Path) -> None:
    variables = folder_variables(ARMHF, objects)
    assert variables["ARCH_CORE"] == "board/"
    assert not variables.keys() & {"MAKEFLAGS", "MAKELEVEL"}
    unix = {"net/unix/af_unix.o", "net/unix/sysctl.o"}
    assert brought_objects(objects, variables, SilentProgress()) == {
        "CONFIG_NET": {"net/core.o", "lib/shared.o", *unix},
        "CONFIG_UNIX": unix,
        "CONFIG_SYSCTL": {"net/unix/sysctl.o"},
        "CONFIG_CRC": {"lib/crc.o", "lib/crc_table.o"},
        "CONFIG_BLOCK": {"fs/buffer.o"},
        "CONFIG_FAT": {"fs/fat.o"},
    }


def test_a_makefile_that_does_not_do_is_told(objects: Path) -> None:
    (objects.parent / "fs" / "Makefile").write_text("$(error no such thing)\n")
    variables = folder_variables(ARMHF, objects)
    with pytest.raises(EnvironmentLacksError, match=r"(?s)obj=fs .*no such thing"):
        brought_objects(objects, variables, SilentProgress())
