# SPDX-License-Identifier: Apache-2.0
"""The probe that reads the flash at the end of a tune: what it refuses, and where it fails."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from perfboard.bench.lab import Lab
from perfboard.model.errors import TargetError
from perfboard.model.results.boot import BootResult
from perfboard.model.run import Status
from perfboard.probes.exchange import ProbeAnswer
from perfboard.studies.tune.flash import flash_bandwidths
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.study import TUNE
from tests.support.lab import FakeLab
from tests.support.runs import make_boot, only
from tests.support.tunes import keep_but, plan_of, request_of

REFUSED = ('{"refused": "flash.read: /dev/mtd1: no such device"}', '{"end": {"elapsed_s": 0.1}}')
READ = (
    '{"metric": "flash.read.bandwidth", "unit": "B/s", "better": "higher", '
    '"labels": {"size": "512"}, "samples": [2e6]}',
    '{"end": {"elapsed_s": 1.0}}',
)
LEVELS = ("tuned", "asynchronous", "asynchronous-cached", "delivered", "cached", "delivered-cached")


KEEP = keep_but("flash")


class Flash(FakeLab):
    """A lab whose probe prints `answers`, time after time, or fails; the last again and again."""

    def __init__(self, folder: Path, *answers: tuple[str, ...] | TargetError) -> None:
        super().__init__(folder)
        self.answers = [*answers]
        self.machine, self.arch = "armv5tel", "armv5te"

    def lab(self, **others: Any) -> Lab:
        session = nullcontext(self)
        return super().lab(open=lambda *_: nullcontext(), probe=lambda *_: session, **others)

    def run(self, *arguments: object) -> ProbeAnswer:
        """See `probes.session.Session`."""
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, TargetError):
            raise answer
        return ProbeAnswer(answer, "exit 0")


def test_what_the_probe_refused_is_told_and_not_kept(tmp_path: Path) -> None:
    plan, lab = plan_of(keep=KEEP), Flash(tmp_path, REFUSED, READ).lab()
    metrics, problems = flash_bandwidths(plan, lab)
    assert [metric.labels["flash"] for metric in metrics] == list(LEVELS[1:])
    assert problems == ["flash=tuned was not read: flash.read: /dev/mtd1: no such device"]
    metrics, problems = flash_bandwidths(plan, lab)
    assert [metric.labels["flash"] for metric in metrics] == list(LEVELS)
    assert problems == []


def test_a_tune_that_is_proved_is_complete_though_the_flash_cannot_be_read(tmp_path: Path) -> None:
    fake = Flash(tmp_path, TargetError("hang", "The target says nothing."), READ)
    fake.takes = lambda variant: make_boot(
        {"usable": -10_000_000 * (variant.levels["flash"] == "cached")}
    )
    run = TUNE.run(request_of(), TuneOptions("verdex", keep=KEEP), fake.lab())
    assert (run.status, run.errors) == (Status.COMPLETE, ())
    assert run.verdicts and len(only(run, BootResult).boots) == 1
    assert "flash=tuned was not read: The target says nothing." in run.provenance.notes
    read = [m.labels["flash"] for m in run.metrics if m.name == "flash.read.bandwidth"]
    assert read == list(LEVELS[1:])
