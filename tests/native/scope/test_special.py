# SPDX-License-Identifier: Apache-2.0
"""Instructions that the scope knows one by one: words as GNU's assembler makes them."""

import subprocess
from pathlib import Path

import pytest

from ..sanitized import SCOPE, compile_sanitized

# strex, strexd, strexb, stlex; then ldrex, stl, str, svc.
ARM = ["e1831f92", "e1a41f92", "e1c31f92", "e1831e92"]
NOT_ARM = ["e1921f9f", "e182fc91", "e5821000", "ef000000"]
# strex, strexh, strexd, stlexb; then ldrex, ldrexd, stl, strd, tbb.
THUMB = ["e8432100", "e8c32f51", "e8c42371", "e8c32fc1"]
NOT_THUMB = ["e8521f00", "e8d3127f", "e8c21faf", "e8e31202", "e8d1f002"]
# stxr, stlxr, stxrb, stxp; then ldxr, stlr, ldar, str.
AARCH64 = ["c8017c62", "8801fc62", "08017c62", "c8210c82"]
# sc.w, sc.d; then lr.d, amoswap.w, sd.
RISCV = ["18c5a52f", "18c5b52f"]
NOT_RISCV = ["1005b52f", "08c5a52f", "00c5b023"]
NOT_AARCH64 = ["c85f7c41", "c89ffc41", "c8dffc41", "f9000041"]


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_sanitized(
        tmp_path_factory.mktemp("special") / "harness",
        SCOPE,
        Path(__file__).with_name("special_harness.c"),
        *sorted(str(path.relative_to(SCOPE)) for path in SCOPE.glob("decode/decode_*.c")),
        "decode/special.c",
    )


def known(harness: Path, isa: str, kind: str, words: list[str]) -> str:
    run = subprocess.run(
        [harness, isa, kind], input="\n".join(words), capture_output=True, check=True, text=True
    )
    return run.stdout


@pytest.mark.parametrize(
    ("isa", "exclusive", "others"),
    [
        ("arm", ARM, NOT_ARM),
        ("thumb", THUMB, NOT_THUMB),
        ("aarch64", AARCH64, NOT_AARCH64),
        ("riscv64", RISCV, NOT_RISCV),
    ],
)
def test_an_exclusive_store_is_known(
    harness: Path, isa: str, exclusive: list[str], others: list[str]
) -> None:
    said = known(harness, isa, "exclusive", [*exclusive, *others])
    assert said == "1" * len(exclusive) + "0" * len(others)


@pytest.mark.parametrize(
    ("isa", "changing", "others"),
    [
        ("arm", ["ee0d0f30", "ee0d3f30"], ["ee0d0f50", "ee1d0f30", "ee080f17"]),
        ("thumb", ["ee0d0f30"], ["ee0d0f50"]),
        # mov %eax and %edx to %cr3; then to %cr0, %cr4 and %db3, and from %cr3.
        ("x86", ["0f22d8", "0f22da"], ["0f22c0", "0f22e0", "0f23d8", "0f20d8"]),
        ("aarch64", [], ["d5182020"]),
        ("riscv64", [], ["18051073"]),
    ],
)
def test_a_change_of_the_address_space_is_known(
    harness: Path, isa: str, changing: list[str], others: list[str]
) -> None:
    said = known(harness, isa, "space", [*changing, *others])
    assert said == "1" * len(changing) + "0" * len(others)


@pytest.mark.parametrize(
    ("isa", "kind", "those", "others"),
    [
        # sfence.vma, csrw satp; then csrr satp's neighbour, fence.i, wfi.
        ("riscv64", "remap", ["12b50073", "18051073"], ["10051073", "0000100f", "10500073"]),
        # wfi; then sret, pause.
        ("riscv64", "wait", ["10500073"], ["10200073", "0100000f"]),
        # pause; then fence, wfi.
        ("riscv64", "yield", ["0100000f"], ["0ff0000f", "10500073"]),
        ("aarch64", "remap", ["d5182020", "d508831f"], ["d503207f"]),
        ("aarch64", "wait", ["d503207f"], ["d503203f"]),
        ("aarch64", "yield", ["d503203f"], ["d503207f"]),
    ],
)
def test_what_the_clock_and_the_cores_go_by_is_known(
    harness: Path, isa: str, kind: str, those: list[str], others: list[str]
) -> None:
    said = known(harness, isa, kind, [*those, *others])
    assert said == "1" * len(those) + "0" * len(others)
