# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe wakeups`: what a writer without a driver of ours counts, and what is refused."""

import subprocess
from pathlib import Path

import pytest

from perfboard.analysis.wakeups.reading import read_playbacks
from perfboard.model.results.wakeups import Playback

from .compiler import compile_commands


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("wakeups") / "wakeups"
    names = ("wakeups", "alsa", "clock", "count", "sink")
    sources = (f"commands/wakeups/{name}.c" for name in names)
    return compile_commands(path, "commands/policy.c", *sources)


def play(probe: str, folder: Path, *words: str) -> Playback:
    done = subprocess.run(
        [probe, "wakeups", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    (playback,) = read_playbacks(done.stdout)
    return playback


@pytest.mark.parametrize("way", ["timer", "slack"])
@pytest.mark.parametrize("level", [0, 3, 6])
def test_it_wakes_once_for_level_and_one_buffers(
    probe: str, tmp_path: Path, way: str, level: int
) -> None:
    found = play(probe, tmp_path, way, str(level), "108", "idle", "8", "1024", "1000000")
    assert (found.way, found.level, found.load) == (way, str(level), "idle")
    # Late wakes find more to fill, and are fewer: never more, whatever this machine does.
    assert 0 < found.wakes <= -(-100 // (level + 1))
    assert found.wakes == sum(found.fill.values()) == sum(count for _, count in found.latency)
    assert found.writer_switches >= found.wakes
    # The last buffer may be filled as soon as it is given back.
    assert found.elapsed_s >= 0.1


def test_nothing_is_played_for_as_long(probe: str, tmp_path: Path) -> None:
    found = play(probe, tmp_path, "none", "0", "108", "idle", "8", "1024", "1000000")
    assert found.elapsed_s >= 0.1 and found.wakes == found.missed == 0


def test_files_are_copied_and_removed(probe: str, tmp_path: Path) -> None:
    found = play(probe, tmp_path, "timer", "0", "208", "copy", "8", "1024", "1000000")
    assert found.copies > 0
    assert list(tmp_path.iterdir()) == []


def test_the_time_in_idle_states_is_the_kernels(probe: str, tmp_path: Path) -> None:
    found = play(probe, tmp_path, "none", "0", "108", "idle", "8", "1024", "1000000")
    states = sorted(Path("/sys/devices/system/cpu/cpu0/cpuidle").glob("state*/name"))
    assert set(found.states) == {state.read_text().split()[0] for state in states}
    assert 0 <= sum(found.states.values()) <= 1.1 * found.elapsed_s


@pytest.mark.parametrize("way", ["sink", "alsa"])
def test_what_the_target_lacks_is_refused(probe: str, tmp_path: Path, way: str) -> None:
    if Path("/dev/snd").exists() and way == "alsa":
        pytest.skip("this machine has a sound card")
    found = play(probe, tmp_path, way, "0", "100", "idle")
    assert "No such file or directory" in found.refused and found.wakes == 0


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["timer", "0", "100"],
        ["drum", "0", "100", "idle"],
        ["timer", "7", "100", "idle"],
        ["timer", "adaptive", "100", "idle"],
        ["timer", "0", "8", "idle"],
        ["timer", "0", "100", "burst0"],
        ["timer", "0", "100", "burst5000"],
        ["timer", "0", "100", "turns"],
        ["timer", "0", "100", "idle", "65", "1024", "1000000"],
        ["timer", "0", "100", "idle", "8", "65537", "1000000"],
        ["timer", "0", "100", "idle", "8", "1024", "9"],
        ["timer", "0", "99999999999", "idle"],
    ],
)
def test_wrong_words_are_told(probe: str, tmp_path: Path, words: list[str]) -> None:
    done = subprocess.run([probe, "wakeups", *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr
