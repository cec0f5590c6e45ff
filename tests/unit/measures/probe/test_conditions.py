# SPDX-License-Identifier: Apache-2.0
"""What held the probes back: how a target's shell says it, and what a reader is told."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.measures.probe.conditions import SCRIPT, Conditions, condition_notes, read_conditions
from perfboard.model.results.probes import ProbeProcess
from perfboard.targets.base import Reply
from tests.support.shells import SayingShell

CPUFREQ = "sys/devices/system/cpu/cpufreq/policy0"
IDLE = "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 100 0 100 800 0 0 0 0 0 0\nintr 5\n"


def conditions(*lines: str) -> Conditions:
    return read_conditions(SayingShell("\n".join(lines)))


def process(cpu: int = 0, **disturbances: float) -> ProbeProcess:
    return ProbeProcess(
        probe="cpu.clock", round=0, elapsed_s=1.0, cpu=cpu, disturbances=disturbances
    )


def frequencies(*each_hz: float) -> list[ProbeProcess]:
    return [process(frequency_before_hz=hz, frequency_after_hz=hz) for hz in each_hz]


def policy(*values: str, number: int = 0, cpus: str = "0 1") -> list[str]:
    folder = f"/sys/devices/system/cpu/cpufreq/policy{number}"
    return [f"{folder}/related_cpus={cpus}", *(f"{folder}/{value}" for value in values)]


def shells() -> list[list[str]]:
    known = (["sh"], ["bash"], ["dash"], ["busybox", "sh"])
    return [words for words in known if shutil.which(words[0])]


def script_below(root: Path) -> str:
    """The script, for a target whose files lie in a folder of this machine."""
    return re.sub(r"/(sys|proc)/", rf"{root}/\1/", SCRIPT)


@pytest.mark.parametrize("shell", shells(), ids=" ".join)
def test_the_script_shows_quotas_limits_and_processors(shell: list[str], tmp_path: Path) -> None:
    files = {
        "proc/stat": IDLE,
        "proc/self/cgroup": "3:cpuset:/\n2:cpu,cpuacct:/a b/inner\n0::/box/\n",
        "sys/fs/cgroup/cpu.max": "max 100000\n",
        "sys/fs/cgroup/box/cpu.max": "50000 100000\n",
        "sys/fs/cgroup/box/cpu.stat": "usage_usec 7\nnr_throttled 3\nthrottled_usec 9\n",
        "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
        "sys/fs/cgroup/cpu,cpuacct/a b/cpu.cfs_quota_us": "20000\n",
        f"{CPUFREQ}/scaling_max_freq": "1000\n",
        f"{CPUFREQ}/scaling_setspeed": "<unsupported>\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = subprocess.run([*shell, "-c", script_below(tmp_path)], capture_output=True, text=True)
    found = read_conditions(SayingShell(done.stdout.replace(str(tmp_path), ""))).files
    assert found["/sys/fs/cgroup/box/cpu.max"] == ("50000 100000",)
    assert found["/sys/fs/cgroup/cpu.max"] == ("max 100000",)
    assert "nr_throttled 3" in found["/sys/fs/cgroup/box/cpu.stat"]
    assert found["/sys/fs/cgroup/cpu,cpuacct/a b/cpu.cfs_quota_us"] == ("20000",)
    assert found["/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"] == ("-1",)
    assert found[f"/{CPUFREQ}/scaling_max_freq"] == ("1000",)
    assert f"/{CPUFREQ}/scaling_setspeed" not in found
    # Twice, and only what is of processors.
    assert [line.split()[0] for line in found["/proc/stat"]] == ["cpu", "cpu0"] * 2


@pytest.mark.parametrize("shell", shells(), ids=" ".join)
def test_the_script_ends_where_a_kernel_has_nothing_of_it(shell: list[str], tmp_path: Path) -> None:
    done = subprocess.run([*shell, "-c", script_below(tmp_path)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


BOX = "/sys/fs/cgroup/box"
HALF = f"{BOX}/cpu.max=50000 100000"
OLD = (f"{BOX}/cpu.cfs_quota_us=20000", f"{BOX}/cpu.cfs_period_us=100000")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            (HALF, f"{BOX}/cpu.stat=nr_throttled 3", f"{BOX}/cpu.stat=throttled_usec 0"),
            (HALF, f"{BOX}/cpu.stat=nr_throttled 15", f"{BOX}/cpu.stat=throttled_usec 600000"),
            "0.5 processors; it stopped them 12 times while the probes ran, for 600.0 ms in all",
        ),
        (
            (*OLD, f"{BOX}/cpu.stat=nr_throttled 0"),
            (f"{BOX}/cpu.stat=nr_throttled 1", f"{BOX}/cpu.stat=throttled_time 2000000000"),
            "0.2 processors; it stopped them 1 times while the probes ran, for 2.000 s",
        ),
        # It had room enough.
        (
            (HALF, f"{BOX}/cpu.stat=nr_throttled 3"),
            (HALF, f"{BOX}/cpu.stat=nr_throttled 3"),
            "",
        ),
        # It cannot be said what it did.
        ((HALF,), (HALF,), "0.5 processors; it may have held the probes back"),
        ((f"{BOX}/cpu.max=400000 100000",), (), ""),
        ((f"{BOX}/cpu.max=max 100000",), (), ""),
        ((f"{BOX}/cpu.max=50000 0",), (), ""),
        ((f"{BOX}/cpu.cfs_quota_us=-1", f"{BOX}/cpu.cfs_period_us=100000"), (), ""),
    ],
)
def test_a_quota_that_stopped_the_probes_is_noted(
    before: tuple[str, ...], after: tuple[str, ...], said: str
) -> None:
    notes = condition_notes(conditions(*before), conditions(*after), [process()])
    assert len(notes) == bool(said)
    assert said in "".join(notes)


LIMITED = policy("cpuinfo_max_freq=1800000", "scaling_max_freq=1200000")


@pytest.mark.parametrize(
    ("lines", "processes", "said"),
    [
        (LIMITED, [process()], "Processor 0, 1 is held to 1.200 GHz of its 1.800 GHz"),
        # Of a processor that no probe ran on.
        (LIMITED, [process(cpu=2)], ""),
        (
            policy("cpuinfo_max_freq=1800000", "bios_limit=900000"),
            [process()],
            "900.0 MHz of its 1.800 GHz (bios_limit)",
        ),
        (policy("cpuinfo_max_freq=1800000", "scaling_max_freq=1800000"), [process()], ""),
        (
            policy("cpuinfo_max_freq=1", "scaling_governor=powersave", "scaling_driver=cpufreq-dt"),
            [process()],
            "has the governor powersave, which keeps it at its lowest",
        ),
        # This driver's goes as fast as any.
        (
            policy(
                "cpuinfo_max_freq=1", "scaling_governor=powersave", "scaling_driver=intel_pstate"
            ),
            [process()],
            "",
        ),
        (
            ["/sys/devices/system/cpu/intel_pstate/max_perf_pct=60"],
            [process()],
            "held to 60 % of their speed",
        ),
        (["/sys/devices/system/cpu/intel_pstate/max_perf_pct=100"], [process()], ""),
        # As a firmware that slows a board down does it: the kernel does not know.
        (
            policy("cpuinfo_max_freq=1500000", "scaling_max_freq=1500000"),
            frequencies(6e8, 6e8),
            "ran at 600.0 MHz, though its kernel says that it may at 1.500 GHz",
        ),
        (policy("cpuinfo_max_freq=1500000"), frequencies(1.49e9, 1.49e9), ""),
    ],
)
def test_a_limit_of_the_frequency_is_noted(
    lines: list[str], processes: list[ProbeProcess], said: str
) -> None:
    notes = condition_notes(conditions(*lines), None, processes)
    assert len(notes) == bool(said)
    assert said in "".join(notes)


@pytest.mark.parametrize(
    ("processes", "said"),
    [
        ([process(throttled=2.0), process(throttled=1.0)], "against heat 3 times"),
        (
            [process(cooling_before_state=0.0, cooling_after_state=2.0), process()],
            "against heat during 1 of the probes' 2 processes",
        ),
        (frequencies(1.8e9, 1.8e9, 1.8e9, 1.2e9, 1.2e9, 1.2e9), "1.200 GHz or less in a quarter"),
        # One reading that was disturbed.
        (frequencies(*[1.8e9] * 9, 0.9e9), ""),
        ([process(throttled=0.0, cooling_before_state=0.0)], ""),
        ([process(steal_s=0.25), process(steal_s=0.0)], "gave 12% of the probes' time to others"),
        ([process(steal_s=0.01), process(steal_s=0.0)], ""),
    ],
)
def test_what_the_probes_saw_of_their_own_time_is_noted(
    processes: list[ProbeProcess], said: str
) -> None:
    notes = condition_notes(conditions(), None, processes)
    assert len(notes) == bool(said)
    assert said in "".join(notes)


def looks(*busy: int) -> list[str]:
    """Two looks at processors that were busy for so many of 100 ticks."""
    first = [f"/proc/stat=cpu{number} 10 0 5 80 5 0 0 0" for number in range(len(busy))]
    second = [
        f"/proc/stat=cpu{number} {10 + ticks} 0 5 {180 - ticks} 5 0 0 0"
        for number, ticks in enumerate(busy)
    ]
    return [*first, *second]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ((90, 60), (2, 3), "they used 1.5 of 2 processors before the probes ran."),
        ((0, 0), (100, 0), "they used 1.0 of 2 processors after the probes ran."),
        ((50,), (40,), "0.5 of 1 processors before the probes ran, and 0.4 of 1 processors after"),
        ((2, 3), (4, 1), ""),
        ((), (), ""),
    ],
)
def test_a_busy_neighbour_is_noted(
    before: tuple[int, ...], after: tuple[int, ...], said: str
) -> None:
    notes = condition_notes(conditions(*looks(*before)), conditions(*looks(*after)), [process()])
    assert len(notes) == bool(said)
    assert said in "".join(notes)


line = st.one_of(
    st.sampled_from([*LIMITED, HALF, *OLD, f"{BOX}/cpu.stat=nr_throttled 3", *looks(5, 90)]),
    st.text(max_size=60),
    st.builds("{}={}".format, st.sampled_from(["/proc/stat", *LIMITED, BOX]), st.text(max_size=40)),
)


@given(st.lists(line, max_size=20), st.lists(line, max_size=20))
def test_whatever_a_target_says_has_notes_or_none(before: list[str], after: list[str]) -> None:
    for note in condition_notes(conditions(*before), conditions(*after), [process()]):
        assert note.endswith(".")


def test_the_shell_may_end_as_it_likes() -> None:
    class Failing(SayingShell):
        def run(self, script: str, *, timeout_s: float = 20) -> Reply:
            return Reply(1, "sh: syntax error\n")

    assert read_conditions(Failing("")).files == {}
