# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the compiler: a module `ziglang`, as `python -m ziglang cc ...` starts it."""

from pathlib import Path

import pytest

from perfboard.host.cache import cache_root

_ZIGLANG = """\
import os, sys
from pathlib import Path
from filelock import FileLock, Timeout
here, kept = Path(__file__).parent, Path(os.environ["ZIG_GLOBAL_CACHE_DIR"])
with (here / "calls").open("a") as calls:
    print(*sys.argv[1:-2], file=calls)
if (kept.parent / "locks").is_dir():
    try:
        FileLock(kept.parent / "locks" / f"{kept.name}.lock").acquire(blocking=False)
        sys.exit("another may compile meanwhile")
    except Timeout:
        pass
if (here / "fault").exists():
    sys.exit((here / "fault").read_text())
if (kept / "lost").exists():
    sys.exit(f"cannot open {kept}/o/1/answer.o: No such file")
Path(sys.argv[-1]).write_text(" ".join(sys.argv[1:-2]))
"""


class Compiler:
    """Its output is the command that made it. Its cache is broken if a file `lost` is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "ziglang.py").write_text(_ZIGLANG)

    @property
    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()

    def reject(self, words: str) -> None:
        """From now on it finds a fault in the sources."""
        (self.folder / "fault").write_text(words)


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiler:
    """The compiler that this process's children find; the cache is a folder of the test's."""
    (tmp_path / "compiler").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "compiler"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cache_root().mkdir(parents=True)
    return Compiler(tmp_path / "compiler")
