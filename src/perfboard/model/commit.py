# SPDX-License-Identifier: Apache-2.0
"""A commit of a git repository."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Commit:
    """Its hash, whole and short, and the first line of its message."""

    hash: str
    short: str
    subject: str
