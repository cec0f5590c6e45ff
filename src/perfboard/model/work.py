# SPDX-License-Identifier: Apache-2.0
"""Classes of work: a timing model may be right of one, and wrong of another."""

from typing import Literal, get_args

Work = Literal["core", "crypto", "float", "memory", "kernel", "storage", "network"]
CLASSES: tuple[Work, ...] = get_args(Work)
WORDS: dict[Work, str] = {
    "core": "core",
    "crypto": "cryptography",
    "float": "floating point",
    "memory": "memory",
    "kernel": "kernel entry and switch",
    "storage": "storage",
    "network": "network",
}
# Figures that people publish of each: a model can be held against them.
PUBLISHED: dict[Work, str] = {
    "core": "7-Zip's or CoreMark's figures",
    "crypto": "`openssl speed`",
    "float": "Linpack's, Whetstone's or sysbench's figures",
    "memory": "latencies and bandwidths of lmbench, tinymembench or STREAM",
    "kernel": "lmbench's system calls and switches, or UnixBench's",
    "storage": "rates of fio, bonnie++ or dd from its medium",
    "network": "rates of iperf3 or netperf",
}
# The longest beginning of a metric's name counts. A boot and a user's program are of
# several classes, and of none alone.
_BEGINNINGS: dict[str, Work] = {
    "cpu.": "core",
    "program.7zip.": "core",
    "program.bc.": "core",
    "program.dd.": "storage",
    "program.fio.": "storage",
    "program.gmp.": "core",
    "program.openssl.": "crypto",
    "program.sysbench.": "float",
    "program.stream.": "memory",
    "program.unixbench.": "kernel",
    "memory.": "memory",
    "memory.fault": "kernel",
    "memory.map": "kernel",
    "memory.map.kept": "memory",
    "kernel.": "kernel",
    "ipc.": "kernel",
    "file.": "kernel",
    "flash.": "storage",
    "disk.": "storage",
    "network.": "network",
    "audio.encode.": "float",
    "image.scale.": "core",
    "listing.search.": "core",
    "media.": "storage",
    "media.network.": "network",
    "media.video.": "core",
    "stream.": "storage",
}


def work_of(metric: str) -> Work | None:
    """The class that a metric of that name is of; None: of several, or of none known."""
    found = max((name for name in _BEGINNINGS if metric.startswith(name)), key=len, default="")
    return _BEGINNINGS.get(found)
