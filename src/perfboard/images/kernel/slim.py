# SPDX-License-Identifier: Apache-2.0
"""Which options a board's kernel could do without, by the functions that ran."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path

from perfboard.analysis.tune.slim import read_link_map, switched_off, unused_options
from perfboard.host.cache.cache import cached
from perfboard.images.kernel.build import configure_kernel, make_kernel
from perfboard.images.kernel.fragment import read_fragment
from perfboard.images.kernel.parts import brought_objects, enabled, folder_variables, run_in
from perfboard.images.kernel.tree import kernel_tree
from perfboard.images.packages.apt import AptState
from perfboard.images.variant import Variant
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress, Step


@dataclass(frozen=True)
class Slim:
    """Options that a kernel can be without together, and what else must be asked for, for that."""

    off: tuple[str, ...]
    beside: Mapping[str, str]


def find_slim(
    variant: Variant, asked: BuiltKernel, kernel: Path, ran: Iterable[int], progress: Progress
) -> Slim:
    """The options that the board's kernel does not need, if only the functions at `ran` are used.

    `asked` is the kernel that its file asks for, and `kernel` the folder of the built one. It is
    made once more, since its source tells what each option brings. Raises EnvironmentLacksError
    where a step fails.
    """
    arch = variant.board.machine.architecture
    source, fragment = asked.source, variant.loaded.file(asked.config)
    wanted = {**read_fragment(fragment), **variant.recipe.options}
    functions = sorted(ran)
    inputs = {
        "kernel": kernel.name,
        "ran": hashlib.sha256(json.dumps(functions).encode()).hexdigest(),
    }

    def build(folder: Path) -> None:
        packages = AptState(arch.name, progress)
        with kernel_tree(arch, packages, source, wanted, progress) as objects:
            count = configure_kernel(arch, objects, fragment, wanted, progress)
            # That the linker writes a map, too, changes nothing of the kernel.
            with (objects / "include" / "config" / "auto.conf").open("a") as file:
                file.write("CONFIG_VMLINUX_MAP=y\n")
            make_kernel(arch, objects, folder, count, progress)
            if (objects / "System.map").read_bytes() != (kernel / "System.map").read_bytes():
                raise EnvironmentLacksError(
                    f"the kernel came out otherwise than {kernel}; remove that folder and try again"
                )
            variables = folder_variables(arch, objects)
            brought = brought_objects(objects, variables, progress)
            code = read_link_map((objects / "vmlinux.map").read_text())
            unused = unused_options(brought, code, functions)
            # The kernel has all options that the board asks for, or it would not be built.
            demanded = {name for name, value in wanted.items() if value == "y"}
            kept = {*brought, *demanded} - {*unused}
            with progress.step("asking Kconfig what can be off", inf) as step:
                slim = switched_off(unused, kept, _kconfig(objects, variables, wanted, step))
        (folder / "slim.json").write_text(json.dumps(slim))

    off, beside = json.loads((cached("slim", inputs, build, progress) / "slim.json").read_text())
    return Slim(tuple(off), beside)


def _kconfig(
    objects: Path, variables: Mapping[str, str], wanted: Mapping[str, str], progress: Step
) -> Callable[[Mapping[str, str]], frozenset[str]]:
    """The configuration by the kernel's Kconfig of options over the `wanted`."""
    file = objects / "slim.config"
    variables = {**variables, "KCONFIG_CONFIG": file.name}

    def conf(how: str) -> str:
        run_in(objects, ["scripts/kconfig/conf", how, "Kconfig"], variables)
        return file.read_text()

    nothing = conf("--allnoconfig")

    def answer(asked: Mapping[str, str]) -> frozenset[str]:
        progress.update(0, f"{len(asked)} asked for")
        lines = (
            f"# {name} is not set\n" if value == "n" else f"{name}={value}\n"
            for name, value in {**wanted, **asked}.items()
        )
        file.write_text(nothing + "".join(lines))
        return enabled(conf("--olddefconfig"))

    return answer
