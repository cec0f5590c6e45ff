# SPDX-License-Identifier: Apache-2.0
"""A probe for scripts that are run on this machine: `perfboard-probe say`, and nothing else."""

import sys
from pathlib import Path

_PROGRAM = f"""#!{sys.executable}
import json, sys
_, command, row, *fields = sys.argv
assert command == "say"
members = {{"row": row, **dict(field.split("=", 1) for field in fields)}}
print(json.dumps(members, separators=(",", ":")))
"""


def saying_probe(path: Path) -> str:
    """Writes it there, and gives its path for a script's PROBE."""
    path.write_text(_PROGRAM)
    path.chmod(0o700)
    return str(path)
