# SPDX-License-Identifier: Apache-2.0
"""Memory that is free after boot, and who has the rest."""

from tests.support.measures import read

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
