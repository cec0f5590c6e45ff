# SPDX-License-Identifier: Apache-2.0
"""The runs of tests/data/runs: records that earlier versions of Perfboard wrote."""

import gzip
import json
import os
from pathlib import Path

from tests.support.recorded import DATA

FOLDER = DATA / "runs/1"
NAMES = sorted(path.name.partition(".json")[0] for path in FOLDER.glob("*-*.json*"))


def is_first(name: str) -> bool:
    """Whether the run's record is of the schema perfboard.run/1."""
    return bool(json.loads(golden(f"{name}.json"))["schema"] == "perfboard.run/1")


def golden(file: str) -> str:
    """The text of a file in FOLDER, kept as it is or compressed."""
    packed = FOLDER / f"{file}.gz"
    return (
        gzip.decompress(packed.read_bytes()) if packed.exists() else (FOLDER / file).read_bytes()
    ).decode()


def unpack(name: str, runs: Path) -> Path:
    """The folder of a run, below `runs`; each artifact is a hole of its size."""
    text = golden(f"{name}.json")
    record = json.loads(text)
    folder = runs / str(record["id"])
    for artifact in record["artifacts"]:
        path = folder / artifact["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.truncate(path, artifact["size"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(text)
    return folder
