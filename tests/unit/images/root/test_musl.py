# SPDX-License-Identifier: Apache-2.0
"""How GCC is told of musl, by packages that are not installed."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from perfboard.boards.loader import load_board
from perfboard.images.image import tools_for
from perfboard.images.root.musl import write_specs
from tests.support.variants import variant_of

# Of musl-dev 1.2.3-1 for armhf, shortened.
SPECS = """\
*cpp_options:
-nostdinc -isystem /usr/include/arm-linux-musleabihf -isystem include%s %(old_cpp_options)

*link_libgcc:
-L/usr/lib/arm-linux-musleabihf -L .%s

*startfile:
%{!shared: /usr/lib/arm-linux-musleabihf/Scrt1.o} /usr/lib/arm-linux-musleabihf/crti.o crtbeginS.o%s

*link:
-dynamic-linker /lib/ld-musl-armhf.so.1 -nostdlib %{static:-static}
"""


def test_gcc_finds_musl_and_the_headers_in_the_cache(tmp_path: Path) -> None:
    library = tmp_path / "musl-dev/usr/lib/arm-linux-musleabihf"
    library.mkdir(parents=True)
    (library / "musl-gcc.specs").write_text(SPECS)
    packages: Any = SimpleNamespace(unpack=lambda name: tmp_path / name)
    arch = load_board("verdex").board.machine.architecture
    specs = write_specs(arch, packages, tmp_path)
    text = specs.read_text()
    assert specs.parent == tmp_path
    headers = f"{tmp_path}/linux-libc-dev/usr/include"
    assert f"include%s -isystem {headers} -isystem {headers}/{arch.multiarch} " in text
    assert f"-L{library} " in text and f" {library}/Scrt1.o}} {library}/crti.o " in text
    # The path on the target stays.
    assert "-dynamic-linker /lib/ld-musl-armhf.so.1 " in text
    assert text.replace(str(tmp_path), "").count(" /usr/") == 0


def test_musl_alone_wants_what_unpacks_a_source() -> None:
    for level, wanted in (("static", False), ("musl", True)):
        assert ("musl" in tools_for(variant_of(libraries=level).recipe)) == wanted
