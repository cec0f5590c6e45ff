# SPDX-License-Identifier: Apache-2.0
"""The facts of a board with a shell."""

import re
from collections.abc import Callable
from functools import cached_property

from perfboard.model.board.gpu import Gpu
from perfboard.model.board.power import Power
from perfboard.model.published import PublishedValue
from perfboard.model.run import Evidence
from perfboard.targets.base import Target

# Debian's names of architectures, by those that dpkg and `uname -m` print.
_DEBIAN = {
    r"armhf|armv[678]\w*l": "armhf",
    r"armel|armv5\w*l": "armel",
    r"arm64|aarch64": "arm64",
    r"i[3-6]86": "i386",
    r"amd64|x86_64": "amd64",
    r"riscv64": "riscv64",
    r"mips(64)?el": "mipsel",
    r"powerpc|ppc": "powerpc",
}


class LiveFacts:
    """See `Facts`. The target is asked when somebody needs to know."""

    exact = False
    repeats = 5
    lacks: frozenset[str] = frozenset()
    published: tuple[PublishedValue, ...] = ()
    power: Power | None = None
    boot_budget_s: float | None = None
    has_model = False
    framebuffer: tuple[int, int] | None = None
    sold_ram = 0
    gpu: Gpu | None = None

    def __init__(self, target: Callable[[], Target]) -> None:
        self._target = target

    @property
    def evidence(self) -> Evidence:
        return self._target().evidence

    @cached_property
    def architecture(self) -> str:
        # A kernel may be of 64 bits, and the programs of 32.
        asks = "dpkg --print-architecture 2> /dev/null || uname -m"
        word = self._target().shell.run(asks).output.strip()
        return next((name for form, name in _DEBIAN.items() if re.fullmatch(form, word)), "")

    @cached_property
    def ram(self) -> int:
        words = self._target().shell.run("grep MemTotal: /proc/meminfo").output.split()
        return int(words[1]) * 1024 if len(words) > 1 and words[1].isdigit() else 0
