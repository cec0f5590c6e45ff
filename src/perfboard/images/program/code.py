# SPDX-License-Identifier: Apache-2.0
"""Programs and libraries by the content of their pages, and the functions in them."""

import io
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from perfboard.images.kernel.system_map import SystemMap

if TYPE_CHECKING:
    import numpy as np
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import Section
    from numpy.typing import NDArray

_PAGE = 4096
_WORDS = _PAGE // 8
_ELF = b"\x7fELF"
_EXECUTABLE = 1
_EXECUTABLE_SECTION = 4
_BOUNDS = ("_start", "_begin", "_end")
# Errors other than its own that pyelftools raises for a damaged file.
_DAMAGED = (KeyError, TypeError, AssertionError, IndexError, AttributeError, OverflowError)
_ODD = ~1  # clears the lowest bit, which marks Thumb code in a function's address


class Functions:
    """The functions of one file, or of the kernel, in the order of their addresses."""

    def __init__(self, starts: Iterable[tuple[int, int, str]]) -> None:
        """`starts` are address, size in bytes (0: up to the next) and name ("": it has none)."""
        # Among several names for one place, the one that covers most, and then the first.
        best: dict[int, tuple[int, str]] = {}
        for address, size, name in starts:
            if address not in best or best[address][0] < size:
                best[address] = (size, name)
        for address, (size, _) in list(best.items()):
            if size:
                best.setdefault(address + size, (0, ""))
        self._starts = sorted(best)
        self._rest = [best[address] for address in self._starts]

    def name(self, address: int) -> str:
        """The function at `address`; "+0x..." of the stretch without a name that it is in."""
        at = bisect_right(self._starts, address) - 1
        name = self._rest[at][1] if at >= 0 else ""
        return name or f"+{self._starts[at] if at >= 0 else 0:#x} (no symbols)"


def kernel_functions(symbols: SystemMap) -> Functions:
    """The kernel's, whose System.map gives no sizes."""
    found = [
        (address, 0, name) for name, address in symbols.addresses.items() if address in symbols.code
    ]
    # The linker's name for the beginning of a section is its first function's second name.
    return Functions(sorted(found, key=lambda one: one[2].endswith(_BOUNDS)))


class CodePages:
    """Finds a page of code among files that may hold it, by the hash that the scope gives it."""

    def __init__(
        self, files: Mapping[str, Path], symbols: Mapping[str, Path] = MappingProxyType({})
    ) -> None:
        """`files` by their path on the board; what is no ELF file is passed over.

        `symbols` are the same ones before they were stripped, where there are such.
        """
        self._files, self._symbols = files, symbols
        self._places: dict[int, tuple[str, int]] = {}
        self._functions: dict[str, tuple[Functions, list[tuple[int, int, int]]]] = {}
        for name, path in files.items():
            with path.open("rb") as file:
                if file.read(len(_ELF)) == _ELF:
                    self._index(name, path)

    def find(self, page: int, address: int) -> tuple[str, str] | None:
        """File and function of the code at virtual `address` in that page; None: of no file."""
        if page not in self._places:
            return None
        name, offset = self._places[page]
        offset += address % _PAGE
        functions, segments = self._load(name)
        for start, size, at in segments:
            if start <= offset < start + size:
                return name, functions.name(at + offset - start)
        return name, "+?"

    def _index(self, name: str, path: Path) -> None:
        import numpy as np

        data = path.read_bytes()
        for start, size, _ in _segments(path):
            first = start // _PAGE * _PAGE
            part = data[first : start + size + -(start + size) % _PAGE]
            part += bytes(-len(part) % _PAGE)
            words = np.frombuffer(part, dtype="<u8").reshape(-1, _WORDS)
            hashes = (words * _keys()).sum(axis=1, dtype=np.uint64)
            for number, found in enumerate(hashes.tolist()):
                self._places.setdefault(found, (name, first + number * _PAGE))

    def _load(self, name: str) -> tuple[Functions, list[tuple[int, int, int]]]:
        if name not in self._functions:
            path = self._files[name]
            named = _symbols(self._symbols.get(name, path))
            self._functions[name] = Functions(named), _segments(path)
        return self._functions[name]


@cache
def _keys() -> "NDArray[np.uint64]":
    """The factors of the words of a page: see native/scope/record/profile.c."""
    import numpy as np

    with np.errstate(over="ignore"):
        x = np.arange(_WORDS, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        keys: NDArray[np.uint64] = (x ^ x >> np.uint64(31)) | np.uint64(1)
    return keys


def _open(path: Path) -> "ELFFile":
    from elftools.elf.elffile import ELFFile

    return ELFFile(io.BytesIO(path.read_bytes()))


def _segments(path: Path) -> list[tuple[int, int, int]]:
    """Offset, size and virtual address of what of the file is code; [] where it is damaged."""
    from elftools.common.exceptions import ELFError

    try:
        elf = _open(path)
        return [
            (segment["p_offset"], segment["p_filesz"], segment["p_vaddr"])
            for segment in elf.iter_segments("PT_LOAD")
            if segment["p_flags"] & _EXECUTABLE
        ]
    except (ELFError, ValueError, OSError, *_DAMAGED):
        return []


def _symbols(path: Path) -> list[tuple[int, int, str]]:
    """Those of .symtab where there is one, else of .dynsym and of the tables for unwinding."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.sections import SymbolTableSection

    try:
        elf = _open(path)
        tables = [elf.get_section_by_name(name) for name in (".symtab", ".dynsym")]
        table = next((t for t in tables if isinstance(t, SymbolTableSection)), None)
        odd = _ODD if elf["e_machine"] == "EM_ARM" else -1
        starts = [] if tables[0] else _unwound(elf)
        starts += [section["sh_addr"] for section in elf.iter_sections() if _is_code(section)]
        nameless = [(at & odd, 0, "") for at in starts]
        if table is None:
            return nameless
        named = [
            (symbol["st_value"] & odd, symbol["st_size"], symbol.name)
            for symbol in table.iter_symbols()
            if symbol["st_info"]["type"] in ("STT_FUNC", "STT_LOOS")
            and symbol["st_shndx"] != "SHN_UNDEF"
        ]
        return named + nameless
    except (ELFError, ValueError, OSError, *_DAMAGED):
        return []


def _is_code(section: "Section") -> bool:
    return bool(section["sh_flags"] & _EXECUTABLE_SECTION)


def _unwound(elf: "ELFFile") -> list[int]:
    """The starts of functions, by the unwinding tables, which strip keeps."""
    from elftools.dwarf.callframe import FDE

    if elf["e_machine"] == "EM_ARM":
        return [
            info.get_entry(number).function_offset or 0
            for info in elf.get_ehabi_infos() or ()
            for number in range(info.num_entry())
        ]
    dwarf = elf.get_dwarf_info()
    if not dwarf.has_EH_CFI():
        return []
    return [entry["initial_location"] for entry in dwarf.EH_CFI_entries() if isinstance(entry, FDE)]
