# SPDX-License-Identifier: Apache-2.0
"""Boards that are timed as a part: what a study of one records, and what its factors do."""

from typing import Any

from .conftest import Perfboard

TIMED = ("study", "boot", "--set", "detail=timed")
BOOT = (*TIMED, "--board", "verdex", "--boots")


def sample(run: Any, name: str) -> float:
    return next(float(m["samples"][0]) for m in run["metrics"] if m["name"] == name)


def test_a_timed_boot_is_in_the_parts_seconds_and_repeats(perfboard: Perfboard) -> None:
    run = perfboard.json(*BOOT, "2")
    assert run["evidence"] == "timed"
    assert run["factors"]["detail"] == "timed" and run["factors"]["flash"] == "tuned"
    assert run["board"]["timed_as"]["part"] == "XScale PXA270 at 400 MHz"
    assert 0 < run["board"]["timed_as"]["margin"] < 1
    for metric in run["metrics"]:
        if metric["name"] != "image.kernel.size":
            assert len(set(metric["samples"])) == 1, metric["name"]
    text = perfboard("show", run["id"]).stdout
    assert "timed \N{PLUS-MINUS SIGN}25%" in text


def test_the_configuration_of_the_flash_is_seen_in_the_copy(perfboard: Perfboard) -> None:
    copies = {
        level: sample(perfboard.json(*BOOT, "1", "--set", f"flash={level}"), "boot.userspace.copy")
        for level in ("tuned", "delivered", "cached")
    }
    assert copies["cached"] < copies["tuned"] / 2 < copies["delivered"] / 2


def test_another_part_takes_its_own_time(perfboard: Perfboard) -> None:
    totals = {
        board: sample(
            perfboard.json(*TIMED, "--board", board, "--boots", "1"), "boot.kernel.init"
        )
        for board in ("rpi2", "orangepi-pc")
    }
    assert totals["orangepi-pc"] < totals["rpi2"]
