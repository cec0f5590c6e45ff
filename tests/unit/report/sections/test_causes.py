# SPDX-License-Identifier: Apache-2.0
"""The headline names the wait that took the most of a boot."""

from collections.abc import Mapping
from typing import Any

import pytest

from perfboard.model.run import BoardSummary, Evidence, Metric, Run
from perfboard.report.sections.boot.causes import cause_sentence, compression_sentence
from tests.support.runs import make_run

BOARD = BoardSummary(name="rpi2", title="", description="", console_baud=115200)


def booted(figures: Mapping[str, tuple[str, float]], **fields: Any) -> Run:
    metrics = [
        Metric(name=f"boot.{name}", unit=unit, samples=(value,))
        for name, (unit, value) in figures.items()
    ]
    return make_run(board=BOARD, metrics=tuple(metrics), **{"evidence": Evidence.TIMED} | fields)


@pytest.mark.parametrize(
    ("factors", "advice"),
    [
        ({"console": "full"}, ": --set console=quiet saves up to that."),
        ({"console": "quiet"}, "."),
        ({}, "."),
    ],
)
def test_a_timed_board_has_counted_its_waits(factors: dict[str, str], advice: str) -> None:
    waits = {"total.waits.console": ("s", 0.58), "total.waits.flash": ("s", 0.1)}
    assert cause_sentence(booted(waits, factors=factors), 0.979) == (
        f"580.0 ms of 979.0 ms are waits for the console at 115200 baud{advice}"
    )


def test_the_longest_wait_is_named() -> None:
    waits = {"total.waits.console": ("s", 0.5), "total.waits.flash": ("s", 3.37)}
    assert cause_sentence(booted(waits, factors={"flash": "tuned"}), 5.0) == (
        "3.370 s of 5.000 s are waits for the flash: "
        "`perfboard tune boot --board verdex` tries the flash's set-ups."
    )


def test_of_a_real_board_the_bytes_tell() -> None:
    printed = {"kernel.console": ("B", 23_040)}
    run = booted(printed, evidence=Evidence.SILICON)
    assert cause_sentence(run, 4.0) == (
        "2.000 s of 4.000 s are the console at 115200 baud, for the 22.5 KiB that the kernel "
        "printed: `quiet` on its command line saves up to that."
    )


@pytest.mark.parametrize("evidence", [Evidence.COUNTED, Evidence.HOST, Evidence.UNKNOWN])
def test_no_seconds_without_evidence_of_them(evidence: Evidence) -> None:
    assert not cause_sentence(booted({"kernel.console": ("B", 23_040)}, evidence=evidence), 4.0)


@pytest.mark.parametrize("total_s", [1.0, 100.0])
def test_a_wait_that_is_short_or_longer_than_the_boot_is_no_cause(total_s: float) -> None:
    printed = {"kernel.console": ("B", 23_040)}
    assert not cause_sentence(booted(printed, evidence=Evidence.SILICON), total_s)


def test_decompression_that_costs_much_is_advised_on() -> None:
    load = {"kernel.load.copy": ("s", 2.0), "kernel.load.decompress": ("s", 6.0)}
    run = booted(load, factors={"compression": "xz"})
    tries = "`perfboard tune boot --board verdex` tries each compression."
    assert compression_sentence(run, 10.0) == f"6.000 s are decompression by xz; {tries}"
    size = Metric(name="image.kernel.size", unit="B", samples=(2 << 20,))
    sized = run.model_copy(update={"metrics": (*run.metrics, size)})
    # At 1 MiB/s, 8 MiB are read in the time that copying and unpacking take.
    assert compression_sentence(sized, 10.0) == (
        "6.000 s are decompression by xz: at this boot's rate of copying, an uncompressed kernel "
        f"of less than 8 MiB would be there sooner; {tries}"
    )
    # 62.9% of 6 s, less 14.5% of the 2 s that copying takes.
    by_gzip = sized.model_copy(update={"factors": {"compression": "gzip"}})
    assert compression_sentence(by_gzip, 10.0) == (
        "6.000 s are decompression by gzip: at this boot's rate of copying, an uncompressed kernel "
        "of less than 8 MiB would be there sooner, and lz4 would save about 3.484 s (estimate: "
        "verdex's kernel, timed as rpi2, unpacks in 37% of gzip's time and is 15% larger); "
        f"{tries}"
    )
    assert not compression_sentence(run, 100.0)
    assert not compression_sentence(run.model_copy(update={"evidence": Evidence.COUNTED}), 10.0)
    assert not compression_sentence(run.model_copy(update={"factors": {}}), 10.0)
