# SPDX-License-Identifier: Apache-2.0
"""A session of a virtual board, completed with what the scope saw of its screen."""

import struct
from pathlib import Path

import pytest

from perfboard.bench.display.rows import TaskRow
from perfboard.bench.display.screen import completed
from perfboard.bench.served import with_served
from perfboard.instruments.scope import GetRow
from perfboard.instruments.screen import SCREEN, EmulatedScreen
from perfboard.measures.display.films import pictures_of
from perfboard.measures.display.session import MEMORY, read_session
from perfboard.model.rows import read_rows

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


def watched(
    kind: str, step: int, label: str = "start", reference: str = "start", reason: str = ""
) -> str:
    steps = f'"begin":{step},"end":{step + 1},"reference":"{reference}","quiet_ns":{QUIET}'
    return f'{{"row":"watched","label":"{label}","outcome":"{kind}",{steps},"reason":"{reason}"}}\n'


def left(step: int) -> str:
    steps = f'"begin":{step},"end":{step + 1},"reason":""'
    return f'{{"row":"left","label":"exit","outcome":"ok",{steps}}}\n'


def drawn(number: int, ms: int, colour: int, late_ms: int) -> bytes:
    """The record of a task that draws a line of eight pixels, and then a pixel."""
    began = step(number, ms) + look(ms + 10, 0, *[colour] * 8)
    return began + look(ms + late_ms, 80, colour) + step(number + 1, ms + 2000)


def shown(folder: Path, record: bytes, said: str, bits: int = 32) -> str:
    """What the watcher said, completed with the scope's record of the screen."""
    (folder / SCREEN).write_bytes(record)
    return completed(said, folder / SCREEN, WIDTH, HEIGHT, bits)


def session(folder: Path, *tasks: tuple[str, int, int]) -> str:
    """Tasks one after another: their kind, the colour that they draw, and when they end to draw."""
    record, said = struct.pack("<IIII", 3, 0, WIDTH, 0), ""
    for number, (kind, colour, late_ms) in enumerate(tasks):
        # The screen is black again before each.
        record += look(5000 * number + 1, 0, *[0] * 8) + look(5000 * number + 2, 80, 0)
        record += drawn(2 * number + 1, 5000 * number + 100, colour, late_ms)
        said += watched(kind, 2 * number + 1)
    return shown(folder, record, said)


CALIBRATED = (("calibration", 9, 30),) * 3


def test_a_task_has_the_times_of_its_pixels_to_the_nanosecond(tmp_path: Path) -> None:
    output = session(tmp_path, *CALIBRATED, ("ok", 9, 40))
    found = read_session(output)
    (one,) = found.seen["start"]
    assert (one.first_ns, one.final_ns, one.stable_ns) == (10 * MS, 40 * MS, 40 * MS)
    assert (one.time_s, one.look_ns) == (0.04, 270_000)
    assert [each.hash for each in found.tried["start"]] == [one.hash] * 3
    strip = pictures_of(output)["start"]
    assert [(each.moment, each.time_s) for each in strip] == [
        *(("first", 0.01), ("half", 0.01), ("final", 0.04), ("stable", 0.04))
    ]


def test_a_framebuffer_has_two_pixels_in_each_word(tmp_path: Path) -> None:
    shape = struct.pack("<IIII", 3, 0, WIDTH // 2, 0)
    # The same two lines of red, the end of each of which changes twice.
    wide = look(5, 0, *[0xFF0000] * 16) + look(7, 7, 0xFF) + look(9, 15, 0xFFFFFF)
    tight = look(5, 0, *[0xF800_F800] * 8) + look(7, 3, 0x001F_F800) + look(9, 7, 0xFFFF_F800)
    tasks = (step(1, 1) + drawn + step(2, 2000) for drawn in (wide, tight))
    said = watched("ok", 1, reference="-")
    first, second = (
        read_session(shown(tmp_path, head + task, said, bits)).seen["start"]
        for head, task, bits in zip((b"", shape), tasks, (32, 16), strict=True)
    )
    assert first == second and first[0].stable_ns == 8 * MS
    path = tmp_path / SCREEN
    (span,) = EmulatedScreen(path, WIDTH, HEIGHT, 16).spans({1: 2}, []).values()
    assert [one.words.tolist() for one in span.looks] == [[*range(16)], [7], [15]]


def test_one_picture_is_a_reference_where_the_watcher_made_one(tmp_path: Path) -> None:
    found = read_session(session(tmp_path, CALIBRATED[0], ("ok", 9, 40)))
    assert [one.time_s for one in found.seen["start"]] == [0.04] and not found.refused


@pytest.mark.parametrize(
    ("tasks", "why"),
    [
        ((*CALIBRATED, ("ok", 8, 30)), "another picture than its reference, from 0 % to 11 %"),
        ((*CALIBRATED, ("ok", 9, 1500)), "not stable: 1 pixels at [0, 10] to [0, 10] keep chang"),
        ((*CALIBRATED[:2], ("calibration", 8, 30), ("ok", 8, 30)), "the pictures for it differ"),
        ((*CALIBRATED, ("ok", 0, 30)), "no pixel changed"),
        ((("calibration", 9, 1500), ("ok", 9, 30)), "or one was refused"),
        ((("calibration", 9, 30), ("ok", 8, 30)), "another picture than its reference"),
    ],
)
def test_a_task_that_does_not_count_is_refused_with_its_reason(
    tasks: tuple[tuple[str, int, int], ...], why: str, tmp_path: Path
) -> None:
    found = read_session(session(tmp_path, *tasks))
    assert why in found.refused["start"][-1] and "start" not in found.seen


def test_what_the_watcher_refused_stays_refused(tmp_path: Path) -> None:
    said = watched("refused", 1, reference="-", reason="it was ended by signal 11")
    output = shown(tmp_path, step(1, 1) + look(5, 0, 1) + step(2, 9), said)
    assert read_session(output).refused["start"] == ["it was ended by signal 11"]
    assert pictures_of(output)["start"][0].moment == "refused"


def test_an_exit_takes_from_one_step_to_the_other(tmp_path: Path) -> None:
    said = left(1) + left(3) + MEMORY
    found = read_session(shown(tmp_path, step(1, 1) + step(2, 12), said))
    assert found.exits["exit"] == [0.011]
    # The scope did not see the steps of the second.
    assert len(found.refused["exit"]) == 1 and found.memory["start", "program"]


def test_masked_pixels_do_not_count(tmp_path: Path) -> None:
    record = step(1, 1) + look(5, 0, 1, 2) + step(2, 5000)
    said = watched("ok", 1, reference="-")
    assert read_session(shown(tmp_path, record, said)).seen["start"]
    mask = '{"row":"mask","x":0,"y":0,"x1":2,"y1":1}\n'
    assert not read_session(shown(tmp_path, record, mask + said)).seen


def test_what_the_far_end_served_stands_before_the_task_that_it_was_served_for(
    tmp_path: Path,
) -> None:
    record = b"".join(drawn(2 * n + 1, 9000 * n + 1, n + 1, 30) for n in range(2))
    # The first was asked for before all tasks, the last after their ends.
    gets = (("a.html", 0), ("c.html", 9001 * MS), ("b.png", 9 * MS), ("d.html", 19000 * MS))
    said = "".join(watched("ok", 2 * n + 1, f"load{n}", "-") for n in range(2))
    sent = [(ns, GetRow(name=name)) for name, ns in gets]
    output = with_served(shown(tmp_path, record, said), sent)
    told = [row.model_dump() for row in read_rows(output, GetRow, TaskRow)]
    assert [row.get("name") or row["label"] for row in told] == [
        "b.png",
        "load0",
        "c.html",
        "d.html",
        "load1",
    ]


def test_a_screen_that_is_no_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "screen"
    path.write_bytes(words(7, 0, 0))
    with pytest.raises(ValueError, match="kind 7"):
        EmulatedScreen(path, 8, 8).spans({}, [])
    path.write_bytes(b"123")
    with pytest.raises(ValueError, match="torn"):
        EmulatedScreen(path, 8, 8)
