# SPDX-License-Identifier: Apache-2.0
"""A bootloader with the firmware that runs before it, as they lie in a board's flash."""

from pathlib import Path

from perfboard.host.cache.cache import cached, hash_file
from perfboard.host.programs.command import run_tool
from perfboard.model.board.architecture import Architecture, FirstStage
from perfboard.model.progress import Progress

_START = Path(__file__).with_name("firmware.S")
_PAGE = 4096


def build_first_stage(
    arch: Architecture,
    stage: FirstStage,
    firmware: Path,
    loader: Path,
    address: int,
    progress: Progress,
) -> Path:
    """The file at the flash's `address`, where the processor starts; built where absent.

    Some instructions copy `firmware` and the bootloader `loader` from after them to memory. Raises
    EnvironmentLacksError where a step fails.
    """
    parts = firmware.read_bytes(), loader.read_bytes()
    sizes = [-(-len(part) // _PAGE) * _PAGE for part in parts]
    values = {
        # The last word before the bootloader, of memory that the firmware has not begun to use.
        "READY": stage.loader - 8,
        "FIRMWARE_FROM": address + _PAGE,
        "FIRMWARE_TO": stage.base,
        "FIRMWARE_SIZE": sizes[0],
        "LOADER_FROM": address + _PAGE + sizes[0],
        "LOADER_TO": stage.loader,
        "LOADER_SIZE": sizes[1],
    }
    inputs = {
        "start": hash_file(_START),
        "firmware": hash_file(firmware),
        "loader": hash_file(loader),
        "values": str(values),
    }

    def build(folder: Path) -> None:
        command = [f"{arch.triplet}-gcc", "-nostdlib", "-static", "-Wl,--build-id=none"]
        command += [f"-Wl,-Ttext={address:#x}", "-o", "start.elf"]
        command += [f"-D{name}={value:#x}" for name, value in values.items()]
        run_tool([*command, str(_START)], folder)
        words = ["-O", "binary", "-j", ".text", "start.elf", "start.bin"]
        run_tool([f"{arch.triplet}-objcopy", *words], folder)
        whole = (folder / "start.bin").read_bytes().ljust(_PAGE, b"\0")
        for part, size in zip(parts, sizes, strict=True):
            whole += part.ljust(size, b"\0")
        (folder / "bootloader").write_bytes(whole)

    return cached("first-stage", inputs, build, progress) / "bootloader"
