# SPDX-License-Identifier: Apache-2.0
"""How much memory a running virtual board has in use, without asking the guest."""

from collections.abc import Mapping
from pathlib import Path

from perfboard.model.board.virtual import VirtualBoard
from perfboard.targets.virtual.emulator import Emulator

_PAGE = 4096
_COUNTER = 4
# A 32-bit kernel maps its memory from a multiple of this many bytes on.
_SPLIT = 1 << 28
# Places in vm_zone_stat and vm_node_stat: Linux 4.8 to 6.1, include/linux/mmzone.h.
_FREE, _INACTIVE_FILE, _ACTIVE_FILE = 0, 2, 3


def knows_memory(board: VirtualBoard, symbols: Mapping[str, int]) -> bool:
    """Whether `memory_in_use` can tell: a 32-bit kernel whose symbols are known."""
    known = {"vm_zone_stat", "vm_node_stat"} <= symbols.keys()
    return board.machine.architecture.bits == 32 and known


def memory_in_use(
    emulator: Emulator, board: VirtualBoard, symbols: Mapping[str, int], folder: Path
) -> int | None:
    """The bytes of the board's memory that are neither free nor pages of files on flash or disk.

    The kernel's own counts of pages are read from the guest's memory while it runs, through a
    file in `folder`. None where they are not to be found, or make no sense. Raises TargetError
    where the emulator does not give them.
    """
    if not knows_memory(board, symbols):
        return None

    def counter(symbol: str, place: int) -> int:
        virtual = symbols[symbol] + place * _COUNTER
        file = folder / f"{symbol}-{place}.bin"
        emulator.save_memory(board.machine.ram_base + virtual % _SPLIT, _COUNTER, file)
        data = file.read_bytes()
        file.unlink()
        return int.from_bytes(data, "little", signed=True)

    pages = counter("vm_zone_stat", _FREE)
    pages += sum(counter("vm_node_stat", place) for place in (_INACTIVE_FILE, _ACTIVE_FILE))
    used = board.machine.ram - pages * _PAGE
    return used if 0 < used <= board.machine.ram else None
