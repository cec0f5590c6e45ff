# SPDX-License-Identifier: Apache-2.0
"""U-Boot's variables in the device tree: what stands there, who has it, and the advice."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.images.bootloader.device_tree import quoted, settings, source
from perfboard.images.image import Image
from perfboard.model.errors import UsageError
from perfboard.studies.tune.advice import Build, lines_between
from perfboard.targets.virtual.target import VirtualTarget
from tests.support.variants import variant_of

BOARD = load_board("verdex").board
VARIABLES = {
    "bootdelay": "0",
    "bootcmd": 'cp.l 0 40 1; fdt set /x reg <0 1>; fdt set /x y "\\z"',
    "bootargs": 'console=a root="b"',
    "verify": "n",
}


def test_the_tree_has_each_variable_where_u_boot_looks_for_it() -> None:
    nodes = settings({"bootdelay": "3", "bootcmd": "bootm 1", "bootargs": "quiet", "verify": "n"})
    assert nodes == {
        "config": {
            "load-environment": "<0>",
            "bootdelay": "<3>",
            "bootcmd": '"setenv verify n; bootm 1"',
        },
        "chosen": {"bootargs": '"quiet"'},
    }


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_a_quoted_text_ends_where_it_should(text: str) -> None:
    inner = quoted(text)[1:-1]
    assert inner.replace('\\"', "").replace("\\\\", "").count('"') == 0
    assert inner.replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\") == text


@pytest.mark.skipif(shutil.which("dtc") is None, reason="has no dtc")
def test_dtc_reads_what_was_meant(tmp_path: Path) -> None:
    file = tmp_path / "tree.dtb"
    text = f"/dts-v1/;\n{source(settings(VARIABLES))}"
    subprocess.run(["dtc", "-q", "-O", "dtb", "-o", str(file)], input=text, text=True, check=True)

    def value(kind: str, node: str, name: str) -> str:
        command = ["fdtget", "-t", kind, str(file), node, name]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout[:-1]

    assert value("s", "/config", "bootcmd") == f"setenv verify n; {VARIABLES['bootcmd']}"
    assert value("s", "/chosen", "bootargs") == VARIABLES["bootargs"]
    assert value("u", "/config", "load-environment") == value("u", "/config", "bootdelay") == "0"


def test_boards_with_a_bootloader_have_the_factor() -> None:
    assert [*factors_of(BOARD)["environment"].levels] == ["flash", "tree"]
    assert "environment" not in factors_of(load_board("converter").board)
    with pytest.raises(UsageError, match="bootloader=none has no environment; found environment="):
        variant_of(environment="tree", bootloader="none")


def test_the_emulator_is_given_the_tree(tmp_path: Path) -> None:
    banks = (tmp_path / "0", tmp_path / "1")
    image = Image(banks, tmp_path / "kernel", {}, {}, (), {}, {})
    variant = variant_of()
    assert "-dtb" not in VirtualTarget(variant, image).command()
    image = Image(banks, tmp_path / "kernel", {}, {}, (), {}, {}, tree=tmp_path / "tree")
    assert VirtualTarget(variant, image).command()[-2:] == ["-dtb", str(tmp_path / "tree")]


def test_the_advice_moves_the_variables() -> None:
    made = [
        Build(variant_of(environment=name), {"bootargs": "quiet", "bootcmd": "bootz 1"})
        for name in ("flash", "tree")
    ]
    stored, tree = lines_between(*made)
    assert (stored.where, stored.remove, stored.add) == (
        "U-Boot environment",
        ("bootcmd=bootz 1",),
        (),
    )
    assert tree.where == "U-Boot's device tree" and tree.remove == ()
    assert tree.add == ("/config load-environment = <0>;", '/config bootcmd = "bootz 1";')
