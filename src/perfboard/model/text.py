# SPDX-License-Identifier: Apache-2.0
"""Text of boards, targets and files, made safe to show in a terminal."""


def printable(text: str) -> str:
    """`text` with "?" for what does not print; newlines and tabs stay."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)
