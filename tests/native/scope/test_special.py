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


@pytest.mark.parametrize(
    ("isa", "exclusive", "others"),
    [
        ("arm", ARM, NOT_ARM),
        ("thumb", THUMB, NOT_THUMB),
        ("aarch64", AARCH64, NOT_AARCH64),
    ],
)
def test_an_exclusive_store_is_known(
    harness: Path, isa: str, exclusive: list[str], others: list[str]
) -> None:
    words = "\n".join([*exclusive, *others])
    done = subprocess.run([harness, isa], input=words, capture_output=True, check=True, text=True)
    assert done.stdout == "1" * len(exclusive) + "0" * len(others)
