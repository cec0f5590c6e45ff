# SPDX-License-Identifier: Apache-2.0
"""The advice for a file that is given where a run, a board or a target is wanted."""

from contextlib import suppress
from pathlib import Path

from perfboard.model.target import command


def import_advice(text: str) -> str:
    """A sentence that names `perfboard import`, after a blank, if `text` is a file; else ""."""
    with suppress(OSError, ValueError):
        if Path(text).is_file():
            return f" {text} is a file: `{command('import', text)}` makes a run of a saved log."
    return ""
