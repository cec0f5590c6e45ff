# SPDX-License-Identifier: Apache-2.0
"""A damaged image is never booted: it is made again, and the boot is the same."""

import json
from pathlib import Path
from typing import Any

from perfboard.host.cache.cache import hash_file
from tests.support.damage import delete, flip

from ..conftest import COUNTED, Perfboard
from ..tune.test_study import own_cache


def marks(run: dict[str, Any]) -> list[tuple[str, int]]:
    """When the first boot came to each mark."""
    return [(mark["name"], mark["t_ns"]) for mark in run["results"][0]["boots"][0]["marks"]]


def test_a_damaged_image_is_built_again_said_and_boots_the_same(
    perfboard: Perfboard, tmp_path: Path
) -> None:
    images = own_cache(perfboard, tmp_path).with_name("image")
    boot = ("study", "boot", "--board", "verdex", "--boots", "1", *COUNTED, "--json")
    first = json.loads(perfboard(*boot).stdout)
    (entry,) = images.iterdir()
    for name, damage in (("bank0.bin", flip), ("hashes.json", delete)):
        damage(entry / name)
        done = perfboard(*boot)
        assert f"cache's image {entry.name[:12]} cannot be used" in done.stderr
        assert name in done.stderr
        again = json.loads(done.stdout)
        assert again["status"] == "complete"
        assert marks(again) == marks(first)
        assert again["provenance"] | {"command": ""} == first["provenance"] | {"command": ""}
        hashes = json.loads((entry / "hashes.json").read_text())
        assert hash_file(entry / "bank0.bin") == hashes["bank0"]
        assert hashes["bank0"] in json.dumps(again["provenance"])
