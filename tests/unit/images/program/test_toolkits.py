# SPDX-License-Identifier: Apache-2.0
"""What the toolkits' programs are built of."""

import re

import pytest

from perfboard.binaries.probe_build import ARCHITECTURES
from perfboard.host.programs.native import native_folder
from perfboard.images.program.toolkits import TOOLKITS, build_toolkit
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress


@pytest.mark.parametrize("name", TOOLKITS)
def test_each_toolkit_gives_what_the_harness_calls(name: str) -> None:
    folder = native_folder("toolkits")
    header = (folder / "toolkit.h").read_text()
    called = re.findall(r"\b(toolkit_\w+)\(", header)
    source = "".join((folder / one).read_text() for one in TOOLKITS[name].sources)
    assert called and all(re.search(rf"^\w+ {each}\(", source, re.MULTILINE) for each in called)


def test_debian_s_libraries_are_not_for_each_architecture() -> None:
    assert "powerpc" in ARCHITECTURES
    with pytest.raises(EnvironmentLacksError, match="not for powerpc; there are programs"):
        build_toolkit("xaw", "powerpc", SilentProgress())
