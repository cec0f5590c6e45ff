# SPDX-License-Identifier: Apache-2.0
"""Memory that is free after boot, and who has the rest."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.model.board.gpu import Gpu
from perfboard.model.profile import Value
from perfboard.model.rows import row_line
from tests.support.measures import LIVE, job_of, read

FREE = """\
{"metric":"system.ram.available","unit":"B","better":"higher","labels":{"by":"free+cache"},\
"samples":[25505792]}
{"end":{"elapsed_s":0.1}}
Name:\tsshd
RssAnon:\t    1024 kB
Name:\tkthreadd
Name:\tsshd
RssAnon:\t    2048 kB
Name:\tinit
RssAnon:\t     100 kB
"""


def test_the_largest_users_of_memory_are_named() -> None:
    answer = read("memory.free", FREE)
    assert answer.short == "24.32 MiB free"
    assert "sshd (3 MiB), init (100 KiB)" in answer.why
    users = [m for m in answer.metrics if m.name == "system.ram.user"]
    assert [m.samples for m in users] == [(3072 * 1024,), (100 * 1024,)]


def test_services_are_started_on_a_virtual_board_and_one_that_fails_is_told(
    tmp_path: Path,
) -> None:
    services = "echo 'one' > first\n\necho is no file; exit 3"
    given: dict[str, Value] = {"services": services, "settle_s": 1, "packages": "dropbear-bin"}
    job = job_of("memory.free", given, EXACT)
    assert job.packages == ("dropbear-bin",)
    script = job.script.replace("mkdir -p /run", "true /run").replace("ifconfig lo", "true lo")
    says = 'probe() { echo "$*"; }; PROBE=probe\n'
    done = subprocess.run(
        ["sh", "-c", says + script], capture_output=True, text=True, timeout=20, cwd=tmp_path
    )
    assert (tmp_path / "first").read_text() == "one\n"
    why = "echo is no file; exit 3 ended with 3: is no file"
    assert done.stdout == f"say refused what=services why={why}\n"
    with pytest.raises(NotMeasurable, match="services: echo is no file"):
        read("memory.free", row_line("refused", what="services", why=why), EXACT)
    # A live target has its own.
    assert "first" not in job_of("memory.free", given, LIVE).script


def test_what_the_real_board_has_otherwise_is_said() -> None:
    gpu = Gpu(memory=76 << 20, source="its documentation", kind="manual")
    facts = replace(EXACT, ram=512 << 20, sold_ram=1 << 30, gpu=gpu)
    said = read("memory.free", FREE, facts, services="/usr/sbin/sshd -D\ncron").why
    assert "a small system of Perfboard's with 2 services, and not of" in said
    assert "The board is sold with 1 GiB, and the virtual one has 512 MiB." in said
    assert "Its GPU takes 76 MiB of the real board's, which Linux is not given (its doc" in said
    said = read("memory.free", FREE, EXACT).why
    assert "without services" in said and "sold" not in said
    assert "It is not known how much of it the real board's GPU takes." in said
    assert "GPU" not in read("memory.free", FREE, LIVE).why
