# SPDX-License-Identifier: Apache-2.0
"""The build hook, without the compiler: an installed package finds all its probes."""

import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Generic, TypeVar

import pytest

from perfboard.binaries import probe as binaries
from perfboard.binaries import probe_build
from perfboard.model.progress import SilentProgress

_HOOK = Path(__file__).parents[3] / "hatch_build.py"
_INTERFACE = "hatchling.builders.hooks.plugin.interface"
_T = TypeVar("_T")


class Interface(Generic[_T]):
    """Of hatchling's class, which only a build has, what the hook uses."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self.app = SimpleNamespace(display_info=lambda text: None)


@pytest.fixture
def included(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, str]]:
    """What the hook adds to a package of a version, by the file it is taken from."""
    interface = ModuleType(_INTERFACE)
    vars(interface)["BuildHookInterface"] = Interface
    parts = _INTERFACE.split(".")
    for end in range(1, len(parts)):
        name = ".".join(parts[:end])
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, _INTERFACE, interface)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def build(arch: str, output: Path, cache: Path) -> None:
        output.write_text(arch)

    monkeypatch.setattr(probe_build, "build", build)
    spec = importlib.util.spec_from_file_location("hatch_build", _HOOK)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def included(version: str) -> dict[str, str]:
        data: dict[str, Any] = {"force_include": {}}
        module.ProbeBuildHook(tmp_path).initialize(version, data)
        return dict(data["force_include"])

    return included


def test_a_wheel_carries_a_probe_for_each_architecture(
    included: Callable[[str], dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = included("standard")
    folder = "perfboard/binaries/bin"
    assert len(files) == 9
    assert {str(Path(path).parent) for path in files.values()} == {folder}
    # Installed, each is found.
    installed = tmp_path / "site-packages" / folder
    installed.mkdir(parents=True)
    for source, path in files.items():
        shutil.copy(source, tmp_path / "site-packages" / path)
    assert Path(binaries.__file__).parents[2] / folder == binaries._PACKAGED
    monkeypatch.setattr(binaries, "_PACKAGED", installed)
    for arch in probe_build.ARCHITECTURES:
        assert binaries.find_binary(arch, SilentProgress()).read_text() == arch


def test_an_editable_install_carries_none(included: Callable[[str], dict[str, str]]) -> None:
    assert included("editable") == {}
