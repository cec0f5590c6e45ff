# SPDX-License-Identifier: Apache-2.0
"""How the emulator keeps pace with the core: when timers fire, and that it cuts no block before."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ..sanitized import SCOPE, compile_sanitized

# Lines for the harness, see its source: what it printed for each.
Paced = Callable[..., list[str]]


@pytest.fixture(scope="session", params=["1", "4"])
def harness(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_sanitized(
        tmp_path_factory.mktemp("pace") / "harness",
        SCOPE,
        *(f"-DCORES={request.param}", Path(__file__).with_name("pace_harness.c")),
        *("part/branch.c", "cores/bus.c", "memory/cache.c", "cores/cores.c", "memory/memory.c"),
        *("part/model.c",),
        *("cores/pace.c", "part/state.c", "memory/tlb.c", "part/uart.c"),
        *("decode/beyond.c", "decode/decode_pattern.c"),
        *SCOPE.glob("timing/*.c"),
    )


@pytest.fixture
def paced(harness: Path) -> Paced:
    def run(*lines: str) -> list[str]:
        done = subprocess.run(
            [harness], input="\n".join(lines), capture_output=True, check=True, text=True
        )
        return done.stdout.splitlines()

    return run


def test_a_timer_fires_before_the_block_at_which_the_core_is_there(paced: Paced) -> None:
    said = paced("timer 500000", *["work 10000 1000"] * 51)
    # The block before it ends at the timer's instant; the one after it waits for the timer.
    assert not said[50].startswith("left")
    assert said[51].startswith("left") and said[51].split()[-3] == "510000"


def test_the_guest_sees_the_cores_time_but_no_timer_that_has_not_fired(paced: Paced) -> None:
    works = (f"work {ns} 10 SHOWS" for ns in (30_000, 490_000, 1000))
    said = paced("timer 500000", *works)
    assert said[1].split()[-3:-1] == ["30000", "30000"]
    assert said[2].split()[-3:-1] == ["520000", "499999"]
    assert said[3].split()[-3:-1] == ["521000", "521000"]


def test_a_core_that_idled_goes_on_when_the_timer_is_due(paced: Paced) -> None:
    said = paced("timer 500000", "work 30000 10 SHOWS", "idle", "work 1000 10")
    assert said[3].split()[-3] == "501000"


@pytest.mark.parametrize("work", ["work 300 1000", "work 10000 1000", "work 10000 1000 SHOWS"])
def test_the_emulator_never_comes_to_the_end_of_what_it_reckons(paced: Paced, work: str) -> None:
    """Neither on a core of three instructions a nanosecond nor on a slow one."""
    said = paced("timer 3000000", *[work] * 3000)
    assert min(int(line.split()[-1]) for line in said[2:] if int(line.split()[-3]) < 3_000_000) > 0


def test_what_stops_the_processor_changes_nothing_of_the_cores(paced: Paced) -> None:
    works = [
        f"work {ns} {ns * 2 % 1700 + 1}{shows}"
        for ns in range(7, 9000, 31)
        for shows in ("", " SHOWS")
    ]
    times = [line.split()[-3] for line in paced("timer 900000", *works)]
    kicked = [line for work in works for line in ("kick", work)]
    assert [line.split()[-3] for line in paced("timer 900000", *kicked)][::2] == times


def test_before_femtoseconds_overflow_the_emulator_ends(harness: Path) -> None:
    done = subprocess.run(
        [harness],
        input=f"work {9001 * 10**9} 1\nwork 1 1\n",
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "scope: the core has worked for 2.5 hours of the guest's time, and a timed board can "
        "count no further.\nscope: use the board as counted, without a timing file.\n"
    )
