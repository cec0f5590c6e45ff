# SPDX-License-Identifier: Apache-2.0
"""`perfboard import`: a run like a boot study's, its file kept, and errors in words."""

import json
import shutil
from pathlib import Path

import pytest

from perfboard.model.run import Evidence
from perfboard.store.folder import find_run
from tests.support.command import call, imported
from tests.support.recorded import DATA

LOGS = DATA / "import"


def test_a_log_becomes_a_run(homes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = LOGS / "tio-camera.log"
    run = imported(str(path))
    assert (run.study, run.board.name, run.target) == ("boot", "tio-camera", f"file:{path.name}")
    assert run.evidence is Evidence.UNKNOWN
    assert run.board.title == "Example Camera 5"
    assert run.headline == "boot.printed"
    seconds = {metric.name: metric.samples for metric in run.metrics}
    assert seconds["boot.printed"] == pytest.approx([5.72], abs=0.1)
    assert seconds["boot.bootloader.printed"] == pytest.approx([0.94], abs=0.1)
    kept = find_run("latest") / "artifacts" / path.name
    assert kept.read_bytes() == path.read_bytes()
    shown = capsys.readouterr().out
    assert "read as tio" in shown.replace("\n", " ")
    assert "reset is not in the log" in shown.replace("\n", " ")
    assert Path(shown.splitlines()[-1]).name == "report.html"
    assert all(len(line) <= 80 for line in shown.splitlines()[:-1])


def test_files_are_boots_of_one_run(homes: Path) -> None:
    forms = ("tio", "grabserial", "minicom-ms")
    run = imported(*(str(LOGS / f"{form}-router.log") for form in forms))
    (samples,) = (m.samples for m in run.metrics if m.name == "boot.userspace")
    assert samples == pytest.approx([2.72] * 3, abs=0.1)
    assert [artifact.path for artifact in run.artifacts] == [
        f"artifacts/{number}/{form}-router.log" for number, form in enumerate(forms, 1)
    ]


def test_what_the_user_states(homes: Path) -> None:
    path = str(LOGS / "dmesg-router.log")
    run = imported(path, "--name", "x1", "--evidence", "silicon", "--usable", "procd: - init -")
    assert (run.board.name, run.evidence) == ("x1", Evidence.SILICON)
    (total,) = (m.samples for m in run.metrics if m.name == "boot.logged")
    assert total == pytest.approx([4.2], abs=0.01)


def test_unknown_evidence_is_compared_with_nothing(
    homes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated, unstated = (
        imported(str(LOGS / "tio-pc.log"), *words).id for words in (["--evidence", "host"], [])
    )
    for pair in ((stated, unstated), (unstated, stated), (unstated, unstated)):
        assert call("compare", *pair, "--across-evidence") == 2
        assert "--evidence silicon" in capsys.readouterr().err
    assert call("compare", stated, stated) == 0


def test_a_wrong_format_is_answered_with_the_right_one(
    homes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(LOGS / "lava-pc.log")
    assert call("import", path, "--as", "vcd") == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "It was read as vcd, and has the form of lava: leave --as out" in said


def test_the_name_of_before_is_taken_with_a_note(
    homes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("import", str(LOGS / "lava-pc.log"), "--format", "lava") == 0
    assert "--format is called --as now; the old name goes with the next release\n" in (
        capsys.readouterr().err
    )


def test_json_is_the_run(homes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("import", str(LOGS / "kernel-pc.log"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["evidence"] == "unknown"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["/nosuch"], "/nosuch: No such file or directory; give a saved log"),
        (["/dev/null"], "/dev/null: is a device; give a saved log"),
        (["a\0b"], "give a saved log"),
        ([str(LOGS.parent.parent / "system")], "none of"),
        ([str(LOGS / "right.json")], "it is JSON of no program that Perfboard reads"),
        ([str(LOGS / "tio-pc.log"), "--as", "x"], '--as: there is no "x"'),
        ([str(LOGS / "tio-pc.log"), "--usable", "("], '--usable: "(" is no regular expression'),
        ([str(LOGS / "tio-pc.log"), "--evidence", "timed"], "neither silicon"),
        ([str(LOGS / "tio-pc.log"), "--name", "../x"], '--name: "../x" is no name'),
    ],
)
def test_errors(
    homes: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("import", *words) == 2
    assert said in capsys.readouterr().err
    assert not list((homes / "data").rglob("run.json"))


@pytest.mark.parametrize(
    "words",
    [
        ["show", "FILE"],
        ["report", "FILE"],
        ["compare", "FILE", "FILE"],
        ["export", "FILE", "--format", "csv"],
        ["study", "boot", "--board", "FILE"],
        ["study", "boot", "--target", "FILE"],
        ["study", "standard", "--target", "FILE"],
        ["boards", "show", "FILE"],
        ["build", "FILE"],
        ["try", "FILE", "--", "ls"],
        ["tune", "boot", "--board", "FILE"],
    ],
    ids=lambda words: " ".join(words),
)
@pytest.mark.parametrize("given", ["boot.log", "./boot.log"])
@pytest.mark.parametrize("form", ["tio-pc", "kernel-camera"])
def test_a_log_in_the_place_of_something_else_is_answered_with_import(
    homes: Path,
    words: list[str],
    given: str,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copy(LOGS / f"{form}.log", homes / "boot.log")
    monkeypatch.chdir(homes)
    assert call(*(given if word == "FILE" else word for word in words)) == 2
    assert "boot.log` makes a run of a saved log" in capsys.readouterr().err
