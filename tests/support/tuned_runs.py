# SPDX-License-Identifier: Apache-2.0
"""Runs as a tune makes them, for tests: two factors, a level refused, one that does not boot."""

from typing import Any

from perfboard.analysis.boot.metrics import metrics_of
from perfboard.model.results.boot import Boot
from perfboard.model.results.tune import (
    Advice,
    FileLines,
    PublishedChange,
    Try,
    TuneLimit,
    TuneResult,
)
from perfboard.model.run import Run
from tests.support.runs import boot_results, make_boot, make_run

MS = 1_000_000
SIZES = {"bootloader": 700_000, "kernel": 2_000_000, "root": 3_000_000}
# What each level takes less, at the mark where it does.
EARLIER = {
    ("console", "quiet"): ("kernel.prepare_namespace", 100 * MS),
    ("flash", "cached"): ("kernel.entry", 60 * MS),
}


def tuned_boot(*changes: tuple[str, str]) -> Boot:
    """The boot at those levels."""
    return make_boot({EARLIER[change][0]: -EARLIER[change][1] for change in changes})


def make_tune(**changes: Any) -> TuneResult:
    """A tune with these `changes`: the start, two levels that save, and both."""
    quiet, cached = EARLIER
    booted: list[tuple[tuple[str, str], ...]] = [(), (quiet,), (cached,), (quiet, cached)]
    boots = tuple(tuned_boot(*changes) for changes in booted)
    tries = [
        Try(
            levels=dict(changes),
            stage="start" if not changes else "alone" if len(changes) == 1 else "together",
            outcome="booted",
            boot=place,
            flash=SIZES | {"root": 3_000_000 + 1000 * len(changes)},
            ram=9_000_000 - 4096 * place,
            loses={"console": "messages on the console"} if quiet in changes else {},
        )
        for place, changes in enumerate(booted)
    ]
    tries += [
        Try(levels={"root": "axfs"}, stage="alone", outcome="refused", problem="not in mainline"),
        Try(levels={"root": "bad"}, stage="alone", outcome="not-booted", problem="a\npanic"),
    ]
    advice = (
        Advice(
            factor="console",
            title="The kernel's messages while it boots",
            old="full",
            new="quiet",
            alone_s=0.1,
            saving_s=0.1,
            phases={"boot.kernel.init": 0.1},
            loses="messages on the console",
            lines=(FileLines(where="kernel command line", add=("quiet",)),),
        ),
        Advice(
            factor="flash",
            title="How the flash is set up",
            old="tuned",
            new="cached",
            alone_s=0.06,
            saving_s=0.06,
            phases={"boot.kernel.load": 0.06},
            flash=2000,
            ram=-4096,
            lines=(
                FileLines(where="board file", remove=("a = 1",), add=("a = 2", 'b = "<script>"')),
            ),
        ),
    )
    tune = TuneResult(
        titles={"console": "What the kernel prints", "flash": "The flash", "root": "Root"},
        start={"console": "full", "flash": "tuned", "root": "squashfs"},
        max_flash=6_000_000,
        keep={"root": "squashfs"},
        tries=tuple(tries),
        best=3,
        combinations=4,
        exhaustive=True,
        bound_s=1.3,
        advice=advice,
        limit=TuneLimit(
            read_bytes=1e6, read_s=5e-8, instructions=10**8, instruction_s=2.5e-9, words="Least."
        ),
        published=(
            PublishedChange(
                title="Console silent",
                metric="boot.total",
                before=1.665,
                after=1.354,
                factor="console",
                new="quiet",
                source="the boot study of 2009",
            ),
            PublishedChange(
                title="All", metric="boot.total", before=3.3, after=1.4, source="the boot study"
            ),
            PublishedChange(
                title="Unknown",
                metric="boot.kernel.init",
                before=0.4,
                after=0.2,
                factor="delay",
                new="preset",
                source="the boot study of 2009",
            ),
        ),
        tried=boots,
    )
    return tune.model_copy(update=changes)


def make_tuned(tune: TuneResult | None = None, **fields: Any) -> Run:
    """A complete run of a tune, with a boot of the best as proof."""
    best = fields.pop("boots", (tuned_boot(*EARLIER),))
    content: dict[str, Any] = {
        "study": "tune-boot",
        "metrics": metrics_of(best),
        "results": (*boot_results(best), tune or make_tune()),
        "factors": {"console": "quiet", "flash": "cached", "root": "squashfs"},
    }
    return make_run("20261121-220000-tune-boot-verdex-1a2b", **(content | fields))
