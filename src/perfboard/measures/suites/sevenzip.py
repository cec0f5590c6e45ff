# SPDX-License-Identifier: Apache-2.0
"""program.7zip: 7-Zip's own benchmark, by number of threads, as sbc-bench has it."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from perfboard.measures.base import Example, Quantity
from perfboard.measures.reading import example_text
from perfboard.measures.suites.base import QUOTE, Suite, number_of

_DICTIONARY = "22:"
# The words of its line that have both speeds, in KiB/s.
_PLACES = {"compress": 1, "decompress": 6}


class SevenZip(Suite):
    """`7z b` with a dictionary of 2^22 bytes, with `-mmt1`, `-mmt2` and so on."""

    name = "program.7zip"
    title = "7-Zip's benchmark, by threads"
    commands_of: ClassVar = {"7zip": "7z b -mmt$t -md22"}
    programs = ("7z",)
    packages = ("p7zip-full",)
    metrics = (
        Quantity("program.7zip.compress", "B/s", "of compressing by LZMA: label threads", "higher"),
        Quantity("program.7zip.decompress", "B/s", "of decompressing: label threads", "higher"),
    )
    examples = (
        Example(
            example_text("7zip", "1")
            + f"{QUOTE}22:       1000   100   1190   1190  |      16000   100   1437   1437\n",
            {"program.7zip.compress": 1024e3, "program.7zip.decompress": 16384e3},
        ),
    )

    def figures(self, name: str, lines: Sequence[str]) -> Mapping[str, float]:
        words = next((line.split() for line in lines if line.startswith(_DICTIONARY)), [])
        found = {
            f"{self.name}.{what}": number_of(words[place])
            for what, place in _PLACES.items()
            if place < len(words)
        }
        return {metric: 1024 * value for metric, value in found.items() if value}


MEASURES = (SevenZip(),)
