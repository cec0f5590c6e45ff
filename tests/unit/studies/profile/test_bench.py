# SPDX-License-Identifier: Apache-2.0
"""What a virtual board's console says of a workload that failed."""

from perfboard.studies.profile.bench import killed_in

# Of Linux 6.12: mm/oom_kill.c.
CONSOLE = """\
[   21.5] sylpheed invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE), order=0
[   21.6] Out of memory: Killed process 91 (Xvfb) total-vm:26400kB, anon-rss:5120kB
[   23.1] Out of memory: Killed process 95 (sylpheed) total-vm:60020kB, anon-rss:9120kB
[   23.2] Out of memory: Killed process 96 (sylpheed) total-vm:60020kB, anon-rss:9120kB
"""


def test_who_was_killed_is_read_off_the_console() -> None:
    assert killed_in(CONSOLE) == "Xvfb and sylpheed"
    assert killed_in("quiet\n") == "a program"
    assert "\x1b" not in killed_in("Killed process 7 (\x1b[2J)")
