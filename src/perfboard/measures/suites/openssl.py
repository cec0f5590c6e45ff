# SPDX-License-Identifier: Apache-2.0
"""program.openssl: `openssl speed` by cipher, size of block and number of threads."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from perfboard.measures.base import Example, Quantity
from perfboard.measures.reading import example_text
from perfboard.measures.suites.base import QUOTE, Suite, number_of

_CIPHERS = (
    "aes-128-cbc",
    "aes-256-cbc",
    "aes-128-gcm",
    "aes-256-gcm",
    "chacha20-poly1305",
    "sha256",
    "sha512",
)
_BLOCKS = (16, 16384)
# The last word of the last line, in thousands of bytes a second.
_SPEED = re.compile(r".*\s([0-9]{1,12}\.[0-9]{1,4})k")


class OpensslSuite(Suite):
    """A second for each cipher and block, by EVP, which takes the processor's instructions."""

    name = "program.openssl"
    title = "Ciphers and hashes of OpenSSL, by threads"
    commands_of: ClassVar = {
        f"{cipher}.{block}": f"openssl speed -elapsed -seconds 1 -bytes {block} -multi $t "
        f"-evp {cipher}"
        for cipher in _CIPHERS
        for block in _BLOCKS
    }
    programs = ("openssl",)
    packages = ("openssl",)
    metrics = tuple(
        Quantity(
            f"program.openssl.{cipher}.{block}",
            "B/s",
            f"of {cipher} by blocks of {block} bytes: label threads",
            "higher",
        )
        for cipher in _CIPHERS
        for block in _BLOCKS
    )
    examples = (
        Example(
            "".join(
                f"{example_text(name, '1')}{QUOTE}type             16 bytes\n{QUOTE}x    1000.00k\n"
                for name in commands_of
            ),
            dict.fromkeys((f"program.openssl.{name}" for name in commands_of), 1e6),
        ),
    )

    def figures(self, name: str, lines: Sequence[str]) -> Mapping[str, float]:
        matches = [match for line in lines if (match := _SPEED.fullmatch(line))]
        value = number_of(matches[-1][1]) if matches else None
        return {f"{self.name}.{name}": 1000 * value} if value else {}


MEASURES = (OpensslSuite(),)
