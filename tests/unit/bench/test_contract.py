# SPDX-License-Identifier: Apache-2.0
"""The promises of a bench that hold for a real board and a virtual one alike."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perfboard.bench.base import Bench
from perfboard.bench.job import Job, NotMeasurable
from perfboard.bench.opening import open_bench
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.run import Evidence
from perfboard.targets.base import Reply, Target
from tests.support.lab import RESULTS, FakeLab
from tests.support.shells import SayingShell

SAYS = Job("echo measured")
FAILS = Job("exit 3")


class _Shell(SayingShell):
    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        self.scripts.append(script)
        if "work.sh" in script:
            return Reply(3, "") if self.fails else Reply(0, "measured\n")
        said = {"uname -m": "x86_64", "uname -srm": "Linux 6.1 x86_64"}
        return Reply(0, said.get(script, "TMPDIR=/tmp"))

    def push(self, data: bytes, path: str, progress: object) -> None:
        self.fails = path.endswith("work.sh") and b"exit 3" in data

    fails = False


@contextmanager
def opened(target: str, folder: Path, **others: Any) -> Iterator[Bench]:
    """The bench of a target by a lab that is a fake's but for `others`."""
    fake, shell = FakeLab(folder), _Shell()

    def ends(job: Any, cancelled: object) -> Any:
        failed = "exit 3" in job.files[-1].read_text()
        return replace(RESULTS, exit_code=3 if failed else 0, stdout=b"measured\n")

    @contextmanager
    def open_target(*_: object) -> Iterator[Target]:
        yield Target("local", Evidence.HOST, shell, probe="x86_64")

    fake.ends = ends
    (folder / "artifacts").mkdir()
    lab = fake.lab(open=open_target, **others)
    with open_bench(Request(target, {}, ()), BenchOptions(), lab, folder / "artifacts") as bench:
        yield bench


@pytest.fixture(params=["virtual:rpi2", "local"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with opened(request.param, tmp_path) as found:
        yield found


def test_a_job_is_run_and_what_it_prints_comes_back(bench: Bench) -> None:
    bench.prepare([SAYS, FAILS])
    assert bench.run("1-says", SAYS, lambda now_s: None) == "measured\n"
    with pytest.raises(NotMeasurable, match="its script ended with 3"):
        bench.run("2-fails", FAILS, lambda now_s: None)


def test_facts_and_the_head_of_the_run_are_of_one_board(bench: Bench) -> None:
    subject = bench.subject()
    assert subject.evidence is bench.facts.evidence
    assert bench.facts.exact == (subject.evidence is Evidence.TIMED)
    assert bench.facts.repeats == (1 if bench.facts.exact else 5)
    assert subject.board.name in subject.target
    assert isinstance(bench.notes, tuple)


def test_what_the_board_cannot_do_is_a_reason_or_a_usage_error(bench: Bench) -> None:
    with pytest.raises(NotMeasurable, match=r"no line|its console"):
        bench.line()
    if bench.facts.exact:
        with pytest.raises(NotMeasurable, match="no files of its own"), bench.shell():
            pass
        with pytest.raises(UsageError, match="asked by its own far end"):
            bench.check_ends(["ssh://other"], "", mine=False)
    else:
        with pytest.raises(NotMeasurable, match="a running system is not booted"):
            next(bench.boots({}, 1))
        with pytest.raises(UsageError, match="neither private nor loopback"):
            bench.check_ends(["local"], "8.8.8.8", mine=False)


def test_without_a_certificate_no_page_is_served_over_tls(tmp_path: Path) -> None:
    def lacks(folder: Path, address: str) -> None:
        raise EnvironmentLacksError("no openssl")

    pages = replace(SAYS, display=True, secure=True)
    with (
        opened("local", tmp_path, authority=lacks) as bench,
        pytest.raises(NotMeasurable, match="no page can be served over TLS: no openssl"),
    ):
        bench.run("pages", pages, lambda now_s: None)
