# SPDX-License-Identifier: Apache-2.0
"""Instructions that older parts lack, told by their kinds from an assembler's bytes."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from perfboard.model.timing.lacks import KINDS

from ..sanitized import SCOPE, compile_sanitized

HERE = Path(__file__).parent
X86 = {
    "cmovne %ecx, %eax": "cmov",
    "fcmove %st(1), %st": "cmov",
    "fcmovnu %st(1), %st": "cmov",
    "fcomi %st(1), %st": "cmov",
    "fucomip %st(1), %st": "cmov",
    "nopw 0(%eax,%eax,1)": "nop",
    "endbr32": "nop",
    "cpuid": "pentium",
    "rdtsc": "pentium",
    "cmpxchg8b (%esi)": "pentium",
    "lock cmpxchg8b (%esi)": "pentium",
    "movaps %xmm1, %xmm0": "simd",
    "movdqu (%esi), %xmm0": "simd",
    "paddb %mm1, %mm0": "simd",
    "pxor %xmm1, %xmm0": "simd",
    "prefetcht0 (%esi)": "simd",
    "sfence": "simd",
    "emms": "simd",
    # The 486 has these.
    "bswap %eax": "none",
    "xadd %eax, %ecx": "none",
    "cmpxchg %eax, %ecx": "none",
    "movzbl %al, %eax": "none",
    "setne %al": "none",
    "bsf %ecx, %eax": "none",
    "imul %ecx, %eax": "none",
    "shld $3, %eax, %ecx": "none",
    "rep movsb": "none",
    "pause": "none",
    "nop": "none",
    "fcom %st(1)": "none",
    "fucompp": "none",
    "fnstsw %ax": "none",
    "fildll (%esi)": "none",
    "fnclex": "none",
    "mov %eax, %ecx": "none",
    "int $0x80": "none",
}
ARM = {
    "add r0, r1, r2": "none",
    "ldr r0, [r1]": "none",
    "vadd.f64 d0, d1, d2": "float",
    "vldr d0, [r0]": "float",
    "vadd.i32 q0, q1, q2": "neon",
    "vrinta.f32 q0, q1": "neon",
    "vrintz.f64 d0, d1": "float",
    "crc32b r0, r1, r2": "none",
    "lda r0, [r1]": "none",
    "aese.8 q0, q1": "crypto",
    "aesimc.8 q0, q1": "crypto",
    "sha1c.32 q0, q1, q2": "crypto",
    "sha1su0.32 q0, q1, q2": "crypto",
    "sha1su1.32 q0, q1": "crypto",
    "sha256h2.32 q0, q1, q2": "crypto",
    "vmull.p64 q0, d1, d2": "crypto",
    "vmull.p8 q0, d1, d2": "neon",
    "vmull.u32 q0, d1, d2": "neon",
}
THUMB = {
    "adds r0, r1, r2": "none",
    "bl . + 64": "none",
    "ldr.w r0, [r1, #256]": "thumb",
    "movw r0, #4660": "thumb",
    "vadd.f64 d0, d1, d2": "float",
    "vadd.i32 q0, q1, q2": "neon",
    "aesd.8 q0, q1": "crypto",
    "sha256su0.32 q0, q1": "crypto",
    "vmull.p64 q0, d1, d2": "crypto",
    "vmull.p8 q0, d1, d2": "neon",
}
_ARMV8 = ("-mfpu=crypto-neon-fp-armv8", "-march=armv8-a+crc")


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_sanitized(
        tmp_path_factory.mktemp("beyond") / "harness",
        SCOPE,
        HERE / "beyond_harness.c",
        "decode/beyond.c",
        *sorted(SCOPE.glob("decode/decode*.c")),
    )


def assembled(words: list[str], code: str, folder: Path) -> list[str]:
    """The bytes of each line, in hexadecimal."""
    found = []
    for line in code.splitlines():
        subprocess.run([*words, "-o", folder / "x.o"], input=f"{line}\n", text=True, check=True)
        objcopy = words[0].removesuffix("as") + "objcopy"
        subprocess.run([objcopy, "-O", "binary", "-j", ".text", folder / "x.o", folder / "x"])
        found.append((folder / "x").read_bytes().hex())
    return found


@pytest.mark.parametrize(
    ("isa", "words", "kinds"),
    [
        ("i386", ["i686-linux-gnu-as"], X86),
        ("arm", ["arm-linux-gnueabihf-as", *_ARMV8], ARM),
        ("thumb", ["arm-linux-gnueabihf-as", *_ARMV8, "-mthumb"], THUMB),
    ],
)
def test_an_instruction_that_a_part_lacks_is_of_its_kind(
    harness: Path, tmp_path: Path, isa: str, words: list[str], kinds: dict[str, str]
) -> None:
    if shutil.which(words[0]) is None:
        pytest.skip(f"no {words[0]}")
    known = {text: kind for text, kind in kinds.items() if kind}
    header = ".syntax unified; " if isa != "i386" else ""
    code = assembled(words, "\n".join(f"{header}{text}" for text in known), tmp_path)
    said = subprocess.run(
        [harness, isa], input="\n".join(code), capture_output=True, text=True, check=True
    ).stdout.split()
    assert dict(zip(known, said, strict=True)) == known


def test_the_host_knows_each_kind() -> None:
    names = re.findall(r'"(\w+)"', (SCOPE / "decode/beyond.c").read_text().split("names[")[1])
    assert set(names) - {"none"} == set(KINDS)
