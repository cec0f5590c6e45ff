# SPDX-License-Identifier: Apache-2.0
"""The build hook, without the compiler: an installed package finds all its probes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from perfboard.binaries.probe_build import ARCHITECTURES, PARTS
from perfboard.binaries.probes import LIST, all_probes

_ROOT = Path(__file__).parents[3]
_COMPILER = _ROOT / "tests" / "support" / "compiler"
# What the hook uses of hatchling's class, which only a build has.
_HATCHLING = """\
import sys
from types import SimpleNamespace
from typing import Generic, TypeVar
class BuildHookInterface(Generic[TypeVar("T")]):
    def __init__(self, root):
        self.root = root
        self.app = SimpleNamespace(display_info=lambda text: None, abort=sys.exit)
"""
_HOOK = """\
import json, sys
from hatch_build import ProbeBuildHook
data = {"force_include": {}}
ProbeBuildHook(sys.argv[1]).initialize(sys.argv[2], data)
print(json.dumps(data["force_include"]))
"""
_FIND = """\
import sys
from perfboard.binaries.probe import find_binary
from perfboard.model.progress import SilentProgress
for part in ("probe", "display"):
    for arch in sys.argv[1:]:
        print(find_binary(arch, SilentProgress(), part))
"""
_LIST = """\
from perfboard.binaries.probes import all_probes
print(all_probes())
"""


def run(
    script: str, *words: str, path: list[Path], **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a script that imports from the folders of `path` before any other."""
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        env={"PYTHONPATH": ":".join(map(str, path)), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def hook(version: str, root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the hook for a package of a version, in whose folder hatchling is stood in for."""
    interface = root / "hatchling/builders/hooks/plugin/interface.py"
    interface.parent.mkdir(parents=True)
    interface.write_text(_HATCHLING)
    # A package without these would give way to hatchling's own.
    for folder in list(interface.parents)[:4]:
        (folder / "__init__.py").touch()
    return run(_HOOK, str(root), version, path=[root, _ROOT, _COMPILER], **environment)


def included(version: str, root: Path, **environment: str) -> dict[str, str]:
    """What the hook adds to a package of a version, by the file it is taken from."""
    files: dict[str, str] = json.loads(hook(version, root, **environment).stdout)
    return files


def install(files: dict[str, str], site: Path) -> None:
    """Makes `site` a folder of packages with ours and the files that the hook adds."""
    shutil.copytree(_ROOT / "src", site)
    (site / "perfboard/binaries/bin").mkdir()
    for source, path in files.items():
        shutil.copy(source, site / path)


def test_a_wheel_carries_a_probe_for_each_architecture(tmp_path: Path) -> None:
    files = included("standard", tmp_path)
    install(files, site := tmp_path / "site-packages")
    *binaries, probes = (site / path for path in files.values())
    found = run(_FIND, *ARCHITECTURES, path=[site])
    assert found.stdout.splitlines() == [str(path) for path in binaries]
    assert run(_LIST, path=[site]).stdout == f"{all_probes()}\n"
    # Neither its probe nor sources to build it from, or to read its list from.
    binaries[-1].unlink()
    probes.unlink()
    for script in (_FIND, _LIST):
        missing = run(script, list(ARCHITECTURES)[-1], path=[site])
        assert "Install Perfboard again from its wheel" in missing.stderr


def test_a_wheel_for_some_architectures_says_what_it_lacks(tmp_path: Path) -> None:
    files = included("standard", tmp_path, PERFBOARD_ARCHITECTURES="mipsel  armv7")
    names = [f"perfboard-{part}.{arch}" for part in PARTS for arch in ("mipsel", "armv7")]
    assert [Path(path).name for path in files.values()] == [*names, LIST]
    install(files, site := tmp_path / "site-packages")
    assert len(run(_FIND, "armv7", "mipsel", path=[site]).stdout.splitlines()) == 4
    lacking = run(_FIND, "i486", path=[site]).stderr
    assert "perfboard-probe.i486 is missing" in lacking
    assert "from its wheel for every architecture" in lacking


def test_an_unknown_architecture_of_a_wheel_is_refused(tmp_path: Path) -> None:
    done = hook("standard", tmp_path, PERFBOARD_ARCHITECTURES="armv7 x86-64")
    assert done.returncode == 1 and not (tmp_path / "build").exists()
    assert done.stderr.startswith("PERFBOARD_ARCHITECTURES: there is no architecture x86-64. ")


def test_an_editable_install_carries_none(tmp_path: Path) -> None:
    assert included("editable", tmp_path) == {}
