# SPDX-License-Identifier: Apache-2.0
"""kernel.image: how large the kernel is, and how much memory it takes (study A's standard set)."""

import re
from collections.abc import Iterator

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Quantity, Setting
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


class KernelImage(Measure):
    """Reads /proc/iomem (proc(5)), which shows addresses to root alone."""

    name = "kernel.image"
    title = "The kernel's size"
    metrics = (
        Quantity(
            "kernel.image.code", "B", "the kernel in memory: code, data, and what is zero at first"
        ),
        Quantity(
            "kernel.image.taken", "B", "memory that the kernel took at boot: all less MemTotal"
        ),
        Quantity("kernel.image.modules", "B", "memory of the modules that are loaded"),
        Quantity(
            "kernel.image.file",
            "B",
            "the kernel's file in /boot, as it is stored; absent without one",
        ),
    )
    examples = (
        Example(
            """\
@sizes
00001000-07ffffff : System RAM
  00100000-003fffff : Kernel code
  00400000-004fffff : Kernel data
80000000-80000fff : serial
MemTotal:        126000 kB
@module loop 32768 0 - Live 0x00000000
@module fat 65536 1 vfat, Live 0x00000000
@file 935000
""",
            {
                "kernel.image.code": 4 << 20,
                "kernel.image.taken": (128 << 20) - 4096 - 126_000 * 1024,
                "kernel.image.modules": 98_304,
                "kernel.image.file": 935_000,
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        return Job(_SCRIPT * setting.repeats)

    def read(self, output: str, setting: Setting) -> Finding:
        found: dict[str, list[float]] = {}
        for again in output.split("@sizes\n")[1:]:
            for name, size in _sizes(again.splitlines()):
                found.setdefault(name, []).append(size)
        if not found:
            raise NotMeasurable("printed no sizes")
        return Finding(
            tuple(
                Metric(name=f"kernel.image.{name}", unit="B", samples=tuple(samples))
                for name, samples in found.items()
            )
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


MEASURES = (KernelImage(),)
