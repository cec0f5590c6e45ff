# SPDX-License-Identifier: Apache-2.0
"""A session of a virtual board, completed with what the scope saw of its screen."""

import struct
from pathlib import Path

import pytest

from perfboard.instruments.screen import Screen
from perfboard.studies.profile.workloads.films import pictures_of
from perfboard.studies.profile.workloads.session import read_session
from perfboard.studies.profile.workloads.shown import completed

WIDTH, HEIGHT = 8, 100
MS = 1_000_000
QUIET = 700 * MS


def words(kind: int, ns: int, number: int) -> bytes:
    return struct.pack("<IQI", kind, ns, number)


def step(number: int, ms: int) -> bytes:
    return words(2, ms * MS, number)


def look(ms: int, first: int, *colours: int) -> bytes:
    spans = struct.pack(f"<II{len(colours)}I", first, len(colours), *colours)
    return words(1, ms * MS, 1) + spans


def watched(kind: str, step: int, label: str = "start", reference: str = "start") -> str:
    return f"@watched {label} {kind} {step} {step + 1} {reference} {QUIET} \n"


def drawn(number: int, ms: int, colour: int, late_ms: int) -> bytes:
    """The record of a task that draws a line of eight pixels, and then a pixel."""
    began = step(number, ms) + look(ms + 10, 0, *[colour] * 8)
    return began + look(ms + late_ms, 80, colour) + step(number + 1, ms + 2000)


def session(path: Path, *tasks: tuple[str, int, int]) -> str:
    """Tasks one after another: their kind, the colour that they draw, and when they end to draw."""
    record, said = struct.pack("<IIII", 3, 0, WIDTH, 0), ""
    for number, (kind, colour, late_ms) in enumerate(tasks):
        # The screen is black again before each.
        record += look(5000 * number + 1, 0, *[0] * 8) + look(5000 * number + 2, 80, 0)
        record += drawn(2 * number + 1, 5000 * number + 100, colour, late_ms)
        said += watched(kind, 2 * number + 1)
    path.write_bytes(record)
    return completed(said, path, WIDTH, HEIGHT)


CALIBRATED = (("calibration", 9, 30),) * 3


def test_a_task_has_the_times_of_its_pixels_to_the_nanosecond(tmp_path: Path) -> None:
    output = session(tmp_path / "screen", *CALIBRATED, ("ok", 9, 40))
    found = read_session(output)
    (one,) = found.seen["start"]
    assert (one.first, one.final, one.stable, one.look) == (0.01, 0.04, 0.04, 0.00027)
    assert [each.picture for each in found.tried["start"]] == [one.picture] * 3
    strip = pictures_of(output)["start"]
    assert [(each.moment, each.time_s) for each in strip] == [
        *(("first", 0.01), ("half", 0.01), ("final", 0.04), ("stable", 0.04))
    ]


@pytest.mark.parametrize(
    ("tasks", "why"),
    [
        ((*CALIBRATED, ("ok", 8, 30)), "another picture than its reference, from 0 % to 11 %"),
        ((*CALIBRATED, ("ok", 9, 1500)), "not stable: 1 pixels at [0, 10] to [0, 10] keep chang"),
        ((*CALIBRATED[:2], ("calibration", 8, 30), ("ok", 8, 30)), "no 3 pictures of its refer"),
        ((*CALIBRATED, ("ok", 0, 30)), "no pixel changed"),
    ],
)
def test_a_task_that_does_not_count_is_refused_with_its_reason(
    tasks: tuple[tuple[str, int, int], ...], why: str, tmp_path: Path
) -> None:
    found = read_session(session(tmp_path / "screen", *tasks))
    assert why in found.refused["start"][-1] and "start" not in found.seen


def test_what_the_watcher_refused_stays_refused(tmp_path: Path) -> None:
    path = tmp_path / "screen"
    path.write_bytes(step(1, 1) + look(5, 0, 1) + step(2, 9))
    output = completed("@watched start refused 1 2 - 1 it was ended by signal 11\n", path, 8, 100)
    assert read_session(output).refused["start"] == ["it was ended by signal 11"]
    assert pictures_of(output)["start"][0].moment == "refused"


def test_an_exit_takes_from_one_step_to_the_other(tmp_path: Path) -> None:
    path = tmp_path / "screen"
    path.write_bytes(step(1, 1) + step(2, 12))
    said = "@left exit 1 2 ok \n@left exit 3 4 ok \n@memory start server resident=4\n"
    found = read_session(completed(said, path, WIDTH, HEIGHT))
    assert found.exits["exit"] == [0.011]
    # The scope did not see the steps of the second.
    assert len(found.refused["exit"]) == 1 and found.memory["start", "server"]


def test_masked_pixels_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "screen"
    path.write_bytes(step(1, 1) + look(5, 0, 1, 2) + step(2, 5000))
    said = watched("ok", 1, reference="-")
    assert read_session(completed(said, path, 8, 100)).seen["start"]
    assert not read_session(completed(f"@mask 0 0 2 1\n{said}", path, 8, 100)).seen


def test_a_screen_that_is_no_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "screen"
    path.write_bytes(words(7, 0, 0))
    with pytest.raises(ValueError, match="kind 7"):
        Screen(path, 8, 8).spans({}, [])
    path.write_bytes(b"123")
    with pytest.raises(ValueError, match="torn"):
        Screen(path, 8, 8)
