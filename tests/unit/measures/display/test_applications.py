# SPDX-License-Identifier: Apache-2.0
"""Programs on a display: the plan that the watcher gets, and what its words are read as."""

import hashlib
import io
import os
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.bench.base import KnownFacts
from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import EXACT, Setting
from perfboard.measures.catalogue import get_measure
from perfboard.measures.display.applications.base import all_applications
from perfboard.measures.display.session import EXIT, TASK, read_session
from perfboard.model.profile import Value
from perfboard.profiles.loader import load_profile, profile_path
from tests.support.measures import LIVE, job_of, metrics_of, setting_of
from tests.support.saying import saying_probe

START: dict[str, Value] = {"program": "dillo", "quiet_ms": 700}
SWITCH: dict[str, Value] = {"program": "dillo", "other": "sylpheed", "quiet_ms": 700}
FRAMED: dict[str, Value] = {"command": "./panel", "display": "framebuffer"}
SHARES = ',"pss_kb":80,"uss_kb":60'


def task(
    label: str, outcome: str = "ok", stable_ms: int = 30, reason: str = "", picture: str = "00ff"
) -> str:
    whole = (TASK % (label, outcome)).replace("30000000", str(stable_ms * 1_000_000))
    return whole.replace("00ff", picture).replace('"reason":""', f'"reason":"{reason}"')


def sizes(label: str, of: str) -> str:
    head = f'{{"row":"memory","label":"{label}","of":"{of}"'
    return f'{head},"rss_kb":100,"vsz_kb":400{SHARES}}}\n'


def free(label: str, kilobytes: int) -> str:
    return f'{{"row":"memory","label":"{label}","of":"system","free_kb":{kilobytes}}}\n'


def started(count: int) -> str:
    memory = sizes("start", "program") + sizes("start", "server") + free("start", 900)
    once = f"{task('start')}{memory}{EXIT}"
    watcher = '{"row":"watcher","busy_ns":2,"of_ns":100}\n'
    return task("calibration", "calibration") * 3 + once * count + watcher


def lines(job: Job) -> list[str]:
    return job.files["plan"].decode().splitlines()


def test_a_program_is_started_ten_times_after_its_picture_is_known() -> None:
    job = job_of("app.start", START)
    plan = lines(job)
    assert (
        plan[:3] == ["limit 60000", "quiet 700 5000", "reference start"]
        and plan.count("start start dillo about:splash") == 10
    )
    assert plan.count("?start calibration dillo about:splash") == 6
    assert "${SCOPE:-alone}" in job.script
    # A board's server draws without what OpenGL would pull in.
    assert "libllvm*" in job.without
    assert job.display and {"Xvfb", "dillo"} <= set(job.programs)
    assert plan.count("drop app.start.cold") == plan.count("!start cold dillo about:splash") == 10
    board = lines(job_of("app.start", START, EXACT))
    # There the first start is the cold one.
    assert board.count("close exit 0") == 1 and not [line for line in board if "drop" in line]


def test_a_program_of_ones_own_takes_the_place_of_ours(tmp_path: Path) -> None:
    own = {"command": "./panel -geometry 9x9", "packages": "libx11-6", "files": "panel"}
    (tmp_path / "panel").write_text("#!/bin/sh\n")
    for name, place in (("app.start", "start start"), ("app.switch", "start a")):
        measure = get_measure(name)
        setting = Setting({**measure.defaults(), **own}, EXACT, tmp_path)
        job = measure.job(setting)
        assert job is not None and f"{place} ./panel -geometry 9x9" in lines(job)
        assert job.files["panel"] == b"#!/bin/sh\n" and "libx11-6" in job.packages
        assert "./panel" in job.programs and "dillo" not in " ".join(lines(job))
        assert list(measure.commands(setting.parameters)) == ["./panel -geometry 9x9"]
    # Its files lie in a board's memory, and would not be read from a card.
    first = task("calibration", "calibration", 900) + started(1)
    found = get_measure("app.start").read(first, setting_of(get_measure("app.start"), own, EXACT))
    assert "app.start.cold" not in {metric.name for metric in found.metrics}
    assert "app.start.cold: a virtual board has files of yours" in found.notes[0]


def test_a_program_of_ones_own_draws_to_the_boards_framebuffer(tmp_path: Path) -> None:
    (tmp_path / "panel").write_text("#!/bin/sh\n")
    measure = get_measure("app.start")
    given = {**measure.defaults(), **FRAMED, "files": "panel"}
    setting = Setting(given, replace(EXACT, framebuffer=(640, 480)), tmp_path)
    job = measure.job(setting)
    assert job is not None and (job.screen, job.framebuffer) == ((640, 480), True)
    assert (job.packages, job.without) == ((), ())
    assert "./perfboard-display 640 480 framebuffer < plan" in job.script
    assert not job.packages and job.programs == ("./panel",) and "font" not in job.script
    assert lines(job).count("start start ./panel") == lines(job).count("close exit 0") == 1
    memory = sizes("start", "program") + free("start", 900)
    output = task("calibration", "calibration") + task("start") + memory + EXIT
    found = measure.read(output, setting)
    assert {("app.exit.time", None), ("app.memory.rss", "program")} <= {
        (metric.name, metric.labels.get("of")) for metric in found.metrics
    }
    assert "asked to end by SIGTERM" in found.notes[-1]
    left = EXIT.replace("ok", "refused").replace('"reason":""', '"reason":"it has not ended"')
    found = measure.read(output.replace(EXIT, left), setting)
    assert found.notes[-1] == "Not measured: app.exit.time: it has not ended."


@pytest.mark.parametrize(
    ("name", "given", "facts", "said"),
    [
        ("app.start", FRAMED, LIVE, "nobody sees a live target's framebuffer"),
        ("app.start", FRAMED, EXACT, "the board's file has no table [framebuffer]"),
        ("app.start", {"display": "framebuffer"}, EXACT, "give a `command` of yours"),
        ("app.start", {"display": "wayland"}, EXACT, "display is 'wayland'; give x11 or frame"),
        ("app.switch", FRAMED, EXACT, "raises a window, and only X has windows"),
    ],
)
def test_a_framebuffer_that_nobody_sees_is_refused(
    name: str, given: dict[str, Value], facts: KnownFacts, said: str
) -> None:
    with pytest.raises(NotMeasurable) as refused:
        job_of(name, given, facts)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"command": "./panel 'a b'"}, "make a script of it"),
        ({"command": "./panel\nend"}, "make a script of it"),
        ({"command": "panel " + "x " * 40 + "x"}, "has 42 words"),
        ({"command": "panel", "program": "netsurf"}, "program and command both name one"),
        ({"command": "panel", "files": "bin/panel"}, "write ./panel"),
        ({"files": "bin/panel"}, "files are those of a command"),
        ({"packages": "x11-apps"}, "packages are those of a command"),
    ],
)
def test_a_program_that_no_plan_can_start_is_refused(given: dict[str, Value], said: str) -> None:
    with pytest.raises(NotMeasurable) as refused:
        job_of("app.start", given)
    assert said in str(refused.value)


def test_a_home_of_its_own_is_the_same_everywhere_and_keeps_carets_still() -> None:
    (first, second) = (job_of("app.start", START) for _ in range(2))
    assert first.files["home.tar"] == second.files["home.tar"]
    assert hashlib.sha256(first.files["home.tar"]).hexdigest() == HOME
    with tarfile.open(fileobj=io.BytesIO(first.files["home.tar"])) as archive:
        assert ".gtkrc-2.0" in archive.getnames()


HOME = "23fe632b838c06a8fa21323ceb0b2640b8ff56bbae57823058948d09ab2d7d01"


def test_the_samples_are_read_with_their_units() -> None:
    metrics = metrics_of("app.start", started(10), START)
    declared = {each.name for each in get_measure("app.start").metrics}
    assert {metric.name for metric in metrics} == declared - {"app.start.cold"}
    by_name = {(m.name, m.labels.get("of")): m for m in metrics}
    assert by_name["app.start.time", None].samples == (0.03,) * 10
    assert by_name["app.exit.time", None].samples == (0.002,) * 10
    assert by_name["app.memory.rss", "server"].samples == (102400.0,) * 10
    left = by_name["app.memory.free", None]
    assert left.samples == (921600.0,) * 10 and left.better == "higher"
    assert by_name["app.start.refused", None].samples == (0.0,)
    assert by_name["app.start.watcher", None].samples == (0.02,)


def test_a_board_s_first_start_counts_if_it_ended_in_the_same_picture() -> None:
    def cold(picture: str) -> list[tuple[float, ...]]:
        first = task("calibration", "calibration", 900, picture=picture)
        found = metrics_of("app.start", first + started(1), START, EXACT)
        return [metric.samples for metric in found if metric.name == "app.start.cold"]

    assert cold("00ff") == [(0.9,)]
    assert cold("00aa") == []


def test_cold_starts_of_a_live_target_are_nine_of_ten_or_none() -> None:
    for count, samples in ((8, None), (9, (0.2,) * 9)):
        metrics = metrics_of("app.start", started(10) + task("cold", stable_ms=200) * count, START)
        assert {m.name: m.samples for m in metrics}.get("app.start.cold") == samples


def test_sizes_that_the_kernel_does_not_tell_are_absent() -> None:
    output = started(10).replace(SHARES, "")
    metrics = metrics_of("app.start", output, START)
    told = {m.name.removeprefix("app.memory.") for m in metrics if "memory" in m.name}
    assert told == {"rss", "vsz", "free"}


def test_refused_samples_are_never_averaged_and_many_of_them_are_no_figure() -> None:
    late = task("start", "refused", 900, "not stable: 20 pixels at [3, 4] to [5, 6] keep changing")
    metrics = {m.name: m for m in metrics_of("app.start", started(9) + late, START)}
    assert metrics["app.start.time"].samples == (0.03,) * 9
    assert metrics["app.start.refused"].samples == pytest.approx((0.1,))
    with pytest.raises(NotMeasurable, match="8 of 10 samples were accepted: not stable: 20 pixels"):
        metrics_of("app.start", started(8) + late * 2, START)
    with pytest.raises(NotMeasurable, match="no picture to compare with: it was ended by signal"):
        crash = task("calibration", "refused", 0, "it was ended by signal 11")
        metrics_of("app.start", crash * 6, START)


def test_a_cold_switch_is_the_exit_of_one_and_the_start_of_the_other() -> None:
    plan = lines(job_of("app.switch", SWITCH))
    assert plan.count("raise warm 0") == 10 and plan.count("close exit 0") == 10
    once = task("warm", stable_ms=5) + free("both", 9) + task("cold")
    warm, *refused, cold, left = metrics_of("app.switch", (once + EXIT) * 10, SWITCH)
    assert left.name == "switch.memory.free" and left.samples == (9216.0,) * 10
    assert [metric.samples for metric in refused] == [(0.0,), (0.0,)]
    # One exit in ten may be refused.
    for count, samples in ((9, 9), (8, None)):
        found = {m.name: m for m in metrics_of("app.switch", once * 10 + EXIT * count, SWITCH)}
        told = found.get("app.switch.cold")
        assert (told and len(told.samples)) == samples
    assert warm.samples == (0.005,) * 10 and cold.samples == pytest.approx((0.032,) * 10)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"program": "dilo", "other": "dillo"}, 'did you mean "dillo"'),
        (SWITCH | {"other": "dillo"}, "two"),
    ],
)
def test_a_program_that_is_not_known_is_answered_with_the_nearest(
    parameters: dict[str, Value], said: str
) -> None:
    with pytest.raises(NotMeasurable, match=said):
        job_of("app.switch", parameters)


def run_with(folder: Path, **programs: str) -> str:
    """What the session's script prints where those programs are shell scripts."""
    job = job_of("app.start", START)
    for name, data in job.files.items():
        (folder / name).write_bytes(data)
    for name, text in programs.items():
        (folder / name.replace("_", "-")).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name.replace("_", "-")).chmod(0o700)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": "/nowhere", "SECRET": "x"}
    environment["PROBE"] = saying_probe(folder / "probe")
    done = subprocess.run(
        ["sh", "-c", job.script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    return done.stdout


def test_a_target_without_the_font_is_told_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(NotMeasurable, match="no font DejaVu Sans; install fonts-dejavu-core"):
        read_session(run_with(tmp_path, find="exit 0", perfboard_display="exit 1"))


def test_a_watcher_that_was_killed_is_named(tmp_path: Path) -> None:
    shown = run_with(tmp_path, find="echo DejaVuSans.ttf", perfboard_display="kill -9 $$")
    with pytest.raises(NotMeasurable, match="the display: signal 9 ended its watcher"):
        read_session(shown)


def test_programs_get_a_home_of_their_own_and_nothing_of_the_user_s(tmp_path: Path) -> None:
    shown = run_with(tmp_path, find="echo DejaVuSans.ttf", perfboard_display="env; ls -A $HOME")
    assert f"HOME={tmp_path}/home\n" in shown and f"TMPDIR={tmp_path}/temporary\n" in shown
    assert "SECRET" not in shown and "/nowhere" not in shown and ".dillo\n" in shown


def test_a_home_that_is_there_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "home" / "there").mkdir(parents=True)
    shown = run_with(tmp_path, find="echo DejaVuSans.ttf", perfboard_display="ls -A $HOME")
    assert shown == "there\n"


def test_a_display_that_does_not_start_is_a_reason() -> None:
    with pytest.raises(NotMeasurable, match="Xvfb does not start"):
        read_session('{"row":"refused","what":"the display","why":"Xvfb does not start"}\n')


def test_the_profile_names_programs_that_there_are() -> None:
    profile = load_profile(profile_path("web-mail"))
    asked = (issue.parameters for issue in profile.key_issue)
    named = {each["program"] for each in asked if "program" in each}
    assert named <= set(all_applications())


def test_a_kiosk_has_its_page_and_the_time_that_its_browser_takes() -> None:
    profile = load_profile(profile_path("kiosk"))
    # Another row loads a page from a server.
    starts = [issue for issue in profile.key_issue if issue.measure == "app.start"]
    (named,) = {issue.parameters["program"] for issue in starts}
    job = job_of("app.start", {"program": named, "quiet_ms": 700})
    assert lines(job)[0] == "limit 180000" and job.limit_s == 2700
    # A board has one picture for its reference, as a start takes its host minutes.
    board = job_of("app.start", {"program": named, "quiet_ms": 700}, EXACT)
    assert "reference start" in lines(job) and "reference start 1" in lines(board)
    with tarfile.open(fileobj=io.BytesIO(job.files["home.tar"])) as archive:
        names = archive.getnames()
    # What the command names is there.
    asked = next(line for line in lines(job) if line.startswith("start start ")).split()
    assert asked[-1].removeprefix("home/") in names and "profile/user.js" in names
