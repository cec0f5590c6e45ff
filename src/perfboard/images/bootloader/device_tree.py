# SPDX-License-Identifier: Apache-2.0
"""The emulator's device tree of a machine, changed; and a bootloader's settings in it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from perfboard.host.cache.cache import cached
from perfboard.host.programs.command import run_tool
from perfboard.model.board.virtual import Machine
from perfboard.model.progress import Progress

# U-Boot looks for these in the tree itself; its command sets the others first.
_NUMBERS = ("bootdelay",)
_OWN = ("bootargs", "bootcmd", *_NUMBERS)


def build_tree(
    machine: Machine, nodes: Mapping[str, Mapping[str, str]], progress: Progress
) -> Path:
    """The machine's tree with those `nodes`, as `source` has them, made where absent.

    Raises EnvironmentLacksError where a step fails.
    """
    changes = source(nodes)

    def build(folder: Path) -> None:
        (folder / "tree").write_bytes(changed_tree(machine, changes, folder))

    return cached("tree", {**tree_inputs(machine), "changes": changes}, build, progress) / "tree"


def tree_inputs(machine: Machine) -> dict[str, str]:
    """The inputs of the emulator's own tree."""
    emulator = subprocess.run(
        [machine.emulator, "--version"], capture_output=True, text=True, check=True
    )
    return {"emulator": emulator.stdout.partition("\n")[0], "machine": machine.model_dump_json()}


def changed_tree(machine: Machine, changes: str, folder: Path) -> bytes:
    """The machine's tree with `changes`, in dtc's source, over it.

    Works in `folder`. Raises EnvironmentLacksError where a step fails.
    """
    dump = [machine.emulator, "-M", f"{machine.type},dumpdtb=machine.dtb", "-cpu", machine.cpu]
    dump += ["-m", f"{machine.ram // 1024}k", "-smp", str(machine.cpus), "-display", "none"]
    # A 64-bit machine that boots from flash has not all devices of one without any firmware.
    dump += ["-bios", "/dev/null", "-nodefaults", "-no-user-config"]
    run_tool(dump, folder)
    run_tool(["dtc", "-q", "-I", "dtb", "-O", "dts", "-o", "tree.dts", "machine.dtb"], folder)
    with (folder / "tree.dts").open("a") as file:
        file.write(changes)
    run_tool(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", "tree.dtb", "tree.dts"], folder)
    return (folder / "tree.dtb").read_bytes()


def settings(variables: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """U-Boot's variables as properties by node of the tree, so that it reads no environment.

    A value is in dtc's source. Source: U-Boot 2023.01, common/board_r.c (load-environment),
    common/autoboot.c (bootdelay) and common/cli.c (bootcmd).
    """
    others = "".join(f"setenv {k} {v}; " for k, v in variables.items() if k not in _OWN)
    return {
        "config": {
            "load-environment": "<0>",
            **{name: f"<{variables[name]}>" for name in _NUMBERS if name in variables},
            "bootcmd": quoted(others + variables["bootcmd"]),
        },
        "chosen": {"bootargs": quoted(variables["bootargs"])},
    }


def source(nodes: Mapping[str, Mapping[str, str]]) -> str:
    """Those properties of nodes below the root, as dtc reads them."""
    lines = (
        f"{node} {{ {' '.join(f'{name} = {value};' for name, value in properties.items())} }};"
        for node, properties in nodes.items()
    )
    return "/ {\n\t" + "\n\t".join(lines) + "\n};\n"


def in_source(properties: Mapping[str, str]) -> dict[str, str]:
    """Properties that are cells in angle brackets or texts, as dtc's source has them."""
    return {
        name: value if value.startswith("<") else quoted(value)
        for name, value in properties.items()
    }


def quoted(text: str) -> str:
    """A text as dtc's source has it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
