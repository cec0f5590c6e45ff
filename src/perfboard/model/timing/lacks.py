# SPDX-License-Identifier: Apache-2.0
"""The instructions and features that the emulated processor has and the part lacks."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from perfboard.model.sourced import WithSource

# The kinds of instructions that the scope counts, as native/scope/decode/beyond.h has them.
KINDS = {
    "cmov": "CMOV, FCMOV and FCOMI",
    "nop": "NOP with an operand and ENDBR",
    "simd": "MMX and SSE",
    "pentium": "CPUID, RDTSC and CMPXCHG8B",
    "thumb": "Thumb-2",
    "float": "VFP",
    "neon": "NEON",
    "crypto": "AES, SHA and PMULL",
}
Kind = Literal["cmov", "nop", "simd", "pentium", "thumb", "float", "neon", "crypto"]
# Programs look for these, and choose other code if there are none.
_CHOSEN = ("crypto",)
# The bits of AT_HWCAP and AT_HWCAP2 as a 32-bit Arm kernel calls them, from the lowest on (Linux
# 6.1, arch/arm/kernel/setup.c).
HWCAPS = (
    *("swp", "half", "thumb", "26bit", "fastmult", "fpa", "vfp", "edsp", "java", "iwmmxt"),
    *("crunch", "thumbee", "neon", "vfpv3", "vfpv3d16", "tls", "vfpv4", "idiva", "idivt"),
    *("vfpd32", "lpae", "evtstrm"),
)
HWCAPS2 = ("aes", "pmull", "sha1", "sha2", "crc32")
# The kernel goes by these itself: native/kernel/perfboard_hwcap.c.
_OF_KERNEL = ("thumb", "vfpd32")
_PLACES = ("implementer", "variant", "part", "revision")


def _hwcap(value: object) -> object:
    if value not in (*HWCAPS, *HWCAPS2):
        known = ", ".join((*HWCAPS, *HWCAPS2))
        raise ValueError(f'the kernel has no hwcap "{value}"; it has: {known}')
    if value in _OF_KERNEL:
        raise ValueError(
            f'hwcap "{value}" cannot be taken out, since the kernel goes by it itself; leave it '
            "out here, and say so in `differs`"
        )
    return value


def _place(value: object) -> object:
    if value not in (*HWCAPS, *HWCAPS2, *_PLACES):
        known = ", ".join((*_PLACES, *HWCAPS, *HWCAPS2))
        raise ValueError(f'/proc/cpuinfo has no "{value}"; it has: {known}')
    return value


Hwcap = Annotated[str, BeforeValidator(_hwcap)]
Reason = Annotated[str, Field(min_length=10, max_length=300, pattern=r"^[^\x00-\x1f]*$")]


class Lacks(WithSource):
    """The difference of the emulated processor and the part.

    `instructions` are, in words, those that the board's programs are built with, or would choose.
    A run says how many it had of `kinds`. The kernel hides `hwcaps`. `differs` gives the
    reason for each feature or number that /proc/cpuinfo still has otherwise than the part's.
    """

    instructions: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]*$")]
    kinds: Annotated[tuple[Kind, ...], Field(strict=False)] = ()
    hwcaps: Annotated[tuple[Hwcap, ...], Field(strict=False)] = ()
    differs: dict[Annotated[str, BeforeValidator(_place)], Reason] = Field(default_factory=dict)

    @property
    def built_in(self) -> bool:
        """Whether programs have such instructions built in, and do not look for them first."""
        return any(kind not in _CHOSEN for kind in self.kinds)
