# SPDX-License-Identifier: Apache-2.0
"""kernel.image: how large the kernel is, and how much memory it takes."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Quantity, Setting
from perfboard.model.rows import Count, Row, read_rows, row_line
from perfboard.model.run import Metric

_SCRIPT = """\
set -- iomem="$(cat /proc/iomem)" meminfo="$(grep '^MemTotal:' /proc/meminfo)"
test ! -r /proc/modules || set -- "$@" modules="$(cat /proc/modules)"
for file in "/boot/vmlinuz-$(uname -r)" "/boot/vmlinux-$(uname -r)" /boot/zImage /boot/Image; do
    test ! -r "$file" || { set -- "$@" file_bytes="$(wc -c < "$file")"; break; }
done
"$PROBE" say kernel "$@"
"""
_RANGE = re.compile(r" *([0-9a-f]{1,16})-([0-9a-f]{1,16}) : (.{1,80})")
_TOTAL = re.compile(r"MemTotal: +(\d{1,15}) kB")
_MODULE = re.compile(r"\S{1,80} (\d{1,12}) .*")
_OF_KERNEL = {"Kernel code", "Kernel rodata", "Kernel data", "Kernel bss"}
# A file of /proc.
_File = Annotated[str, Field(max_length=1 << 20)]


class _KernelRow(Row):
    row: Literal["kernel"]
    iomem: _File
    meminfo: _File
    modules: _File = ""
    file_bytes: Count | None = None


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
            row_line(
                "kernel",
                iomem="00001000-07ffffff : System RAM\n"
                "  00100000-003fffff : Kernel code\n"
                "  00400000-004fffff : Kernel data\n"
                "80000000-80000fff : serial",
                meminfo="MemTotal:        126000 kB",
                modules="loop 32768 0 - Live 0x00000000\nfat 65536 1 vfat, Live 0x00000000",
                file_bytes="935000",
            ),
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
        for row in read_rows(output, _KernelRow):
            for name, size in _sizes(row):
                found.setdefault(name, []).append(size)
        if not found:
            raise NotMeasurable("printed no sizes")
        return Finding(
            tuple(
                Metric(name=f"kernel.image.{name}", unit="B", samples=tuple(samples))
                for name, samples in found.items()
            )
        )


def _sizes(row: _KernelRow) -> Iterator[tuple[str, float]]:
    ranges = [
        (match[3], int(match[2], 16) - int(match[1], 16) + 1)
        for line in row.iomem.splitlines()
        if (match := _RANGE.fullmatch(line)) and int(match[2], 16) > int(match[1], 16)
    ]
    memory = sum(size for name, size in ranges if name == "System RAM")
    code = sum(size for name, size in ranges if name in _OF_KERNEL)
    total = int(match[1]) * 1024 if (match := _TOTAL.fullmatch(row.meminfo)) else 0
    if not code or not total or memory < total:
        raise NotMeasurable(
            "/proc/iomem shows no memory of the kernel's; only root sees its places"
        )
    yield "code", code
    yield "taken", memory - total
    modules = map(_MODULE.fullmatch, row.modules.splitlines())
    yield "modules", sum(int(match[1]) for match in modules if match)
    if row.file_bytes is not None:
        yield "file", row.file_bytes


MEASURES = (KernelImage(),)
