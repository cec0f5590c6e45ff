# SPDX-License-Identifier: Apache-2.0
"""kernel.image: how large the kernel is, and how much memory it takes (study A's standard set)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.base import Figure, Parameter
from perfboard.model.profile import Value
from perfboard.model.run import Metric

_SCRIPT = """\
echo @sizes
cat /proc/iomem
grep '^MemTotal:' /proc/meminfo
test ! -r /proc/modules || sed 's/^/@module /' /proc/modules
for file in "/boot/vmlinuz-$(uname -r)" "/boot/vmlinux-$(uname -r)" /boot/zImage /boot/Image; do
    test ! -r "$file" || { echo "@file $(wc -c < "$file")"; break; }
done
"""
_RANGE = re.compile(r" *([0-9a-f]{1,16})-([0-9a-f]{1,16}) : (.{1,80})")
_TOTAL = re.compile(r"MemTotal: +(\d{1,15}) kB")
_MODULE = re.compile(r"@module \S{1,80} (\d{1,12}) .*")
_FILE = re.compile(r"@file (\d{1,12})")
_OF_KERNEL = {"Kernel code", "Kernel rodata", "Kernel data", "Kernel bss"}


@dataclass(frozen=True)
class KernelImage:
    """Reads /proc/iomem (proc(5)), which shows addresses to root alone."""

    name: str = "kernel.image"
    title: str = "The kernel's size"
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    metrics: Mapping[str, Figure] = field(
        default_factory=lambda: {
            "kernel.image.code": Figure(
                "B", "the kernel in memory: code, data, and what is zero at first"
            ),
            "kernel.image.taken": Figure(
                "B", "memory that the kernel took at boot: all less MemTotal"
            ),
            "kernel.image.modules": Figure("B", "memory of the modules that are loaded"),
            "kernel.image.file": Figure(
                "B", "the kernel's file in /boot, as it is stored; absent without one"
            ),
        }
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return []

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        return Work(_SCRIPT * repeats)

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        found: dict[str, list[float]] = {}
        for again in output.split("@sizes\n")[1:]:
            for name, size in _sizes(again.splitlines()):
                found.setdefault(name, []).append(size)
        if not found:
            raise NotMeasurable("printed no sizes")
        return tuple(
            Metric(name=f"kernel.image.{name}", unit="B", samples=tuple(samples))
            for name, samples in found.items()
        )


def _sizes(lines: list[str]) -> Iterator[tuple[str, float]]:
    ranges = [
        (match[3], int(match[2], 16) - int(match[1], 16) + 1)
        for line in lines
        if (match := _RANGE.fullmatch(line)) and int(match[2], 16) > int(match[1], 16)
    ]
    memory = sum(size for name, size in ranges if name == "System RAM")
    code = sum(size for name, size in ranges if name in _OF_KERNEL)
    total = sum(int(match[1]) * 1024 for line in lines if (match := _TOTAL.fullmatch(line)))
    if not code or not total or memory < total:
        raise NotMeasurable(
            "/proc/iomem shows no memory of the kernel's; only root sees its places"
        )
    yield "code", code
    yield "taken", memory - total
    yield "modules", sum(int(m[1]) for line in lines if (m := _MODULE.fullmatch(line)))
    yield from (("file", int(m[1])) for line in lines if (m := _FILE.fullmatch(line)))


WORKLOADS = (KernelImage(),)
