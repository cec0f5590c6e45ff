# SPDX-License-Identifier: Apache-2.0
"""The command: exit codes, messages, and one JSON document on standard output."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from tests.support.command import call
from tests.support.runs import make_run

BOOT = ("study", "boot", "--board", "verdex")
TUNE = ("tune", "boot", "--board", "verdex")


def store(homes: Path, name: str) -> Path:
    path = homes / "data" / "perfboard" / "runs" / name
    path.mkdir(parents=True)
    (path / "run.json").write_text(make_run(name, artifacts=()).to_json())
    return path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["study", "boot", "--board", "verdx"], 'did you mean "verdex"?'),
        (["study", "nosuch", "--board", "verdex"], 'no study "nosuch"'),
        ([*BOOT, "--board", "rpi2"], "--board: is given more than once: verdex, rpi2"),
        ([*BOOT, "--boots", "0"], "is not a number of boots"),
        ([*BOOT, "--boots", "many"], "is not a number of boots"),
        ([*BOOT, "--set", "console"], "--set: it takes FACTOR=LEVEL"),
        ([*BOOT, "--usable", "x"], "--usable: only for serial, labgrid targets"),
        (["tune", "boot"], "required: --board"),
        ([*TUNE, "--keep", "console"], "--keep: it takes FACTOR=LEVEL"),
        ([*TUNE, "--keep", "a=b", "--keep", "a=c"], "--keep: factor a is given twice"),
        ([*TUNE, "--allow", "quiet"], "--allow: it takes FACTOR=LEVEL"),
        ([*TUNE, "--max-flash", "4MB", "--max-flash", "5MB"], "given more than once: 4MB, 5MB"),
        ([*TUNE, "--max-flash", "4"], '--max-flash: "4" has no unit'),
        ([*TUNE, "--max-flash", "4B"], '--max-flash: "4B" is less than any kernel'),
        ([*TUNE, "--max-flash", "much"], '--max-flash: "much" is not a size'),
        ([*TUNE, "--max-ram", "0"], '--max-ram: "0" has no unit'),
        ([*TUNE, "--boots", "3"], "not a number of boots from 5"),
        ([*TUNE, "--write", "x", "--boots", "9"], "--write, --boots: only for serial, labgrid"),
        ([*TUNE, "--target", "local"], "study tune-boot measures virtual:BOARD or serial:"),
        ([*BOOT, "--set", "console=full", "--set", "console=quiet"], "twice"),
        ([*BOOT, "--set", "colour=red"], 'no factor "colour"'),
        ([*BOOT, "--set", "console=loud"], 'no level "loud"'),
        (["study", "boot", "--board", "./absent.toml"], "absent.toml"),
        (["study", "boot", "--target", "ssh://root@board"], "virtual:BOARD"),
        (["study", "boot", "--target", "virtual:nosuch"], 'no board "nosuch"'),
        (["study", "boot", "--target", "local"], "virtual:BOARD"),
        (["study", "standard", "--set", "console=full"], "has no factor console"),
        (["study", "standard", "--target", "nosuch:x"], "is no target"),
        (["study", "standard", "--budget", "0"], "is not a number of seconds"),
        (["measure", "--budget", "nan"], "give a metric and a limit"),
        (["measure", "--cpu", "-1"], "is not the number of a CPU"),
        (["study", "standard", "--cpu", "big"], "is not the number of a CPU"),
        (["study", "boot", "--cpu", "0"], "study boot takes no --cpu 0"),
        (["measure", "--target", "localhost"], "is no target"),
        (["study", "boot", "--target", "virtual:verdex", "--board", "verdex"], "omit one"),
        (["study", "boot", "--bugdet", "5"], "study boot takes no --bugdet 5; did you mean"),
        (["study", "standard", "--boots", "10"], "study standard takes no --boots 10."),
        (["boards", "show"], "required: BOARD"),
        (["boards", "list", "verdex"], 'no command "perfboard boards list"'),
        (["boards", "slim"], "required: BOARD"),
        (["boards", "--budget=5"], "takes no --budget"),
        (["boards", "show", "verdex", "--budget", "5"], "takes no --budget"),
        (["boards", "slim", "verdex", "--budget", "5"], "takes no --budget"),
        (["show", "20200101"], "there are no runs"),
        (["report", "/nowhere/at/all"], "is not a run folder"),
        (["nosuch"], 'no command "perfboard nosuch". The commands are: doctor'),
    ],
)
def test_what_is_wrong_is_said_with_exit_code_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["stuyd", "boot"], 'did you mean "study"?'),
        (["boards", "verfy", "rpi2"], 'did you mean "verify"?'),
        (["study", "bot", "--board", "verdex"], 'did you mean "boot"?'),
        (["study", "boot"], "--board rpi2 "),
        (["study", "boot", "verdex"], 'did you mean "--board verdex"?'),
        ([*BOOT, "--set", "console", "quiet"], 'did you mean "--set console=quiet"?'),
        ([*TUNE, "--keep", "console", "quiet"], 'did you mean "--keep console=quiet"?'),
        ([*BOOT, "console=quiet"], 'did you mean "--set console=quiet"?'),
        ([*BOOT, "--set", "consol=quiet"], 'did you mean "console"?'),
        ([*BOOT, "--set", "console=quite"], 'did you mean "quiet"?'),
        ([*BOOT, "--boot", "5"], 'did you mean "--boots"?'),
        ([*TUNE, "--alow=console=quiet"], 'did you mean "--allow"?'),
        (["try", "rpi2", "ls", "-l"], "perfboard try rpi2 -- ls -l"),
        (["try", "verdx", "--", "ls"], 'did you mean "verdex"?'),
        (["measure", "memory.latncy"], 'did you mean "memory.latency"?'),
        ([*BOOT, "--budget-s", "0"], '--budget: "0" is not a number of seconds above 0'),
        ([*BOOT, "--name", "shelf"], "a virtual board has the name in its file"),
        (["measure", "--name", "A b"], "--name A b: give at most 40 of a-z"),
    ],
)
def test_a_slip_is_answered_with_the_nearest_right_thing(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words, "--json") == 2 if "--" not in words else call(*words) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    if "--" not in words:
        (error,) = json.loads(captured.out).values()
        assert error == {"kind": "usage", "message": error["message"], "exit_code": 2}
        assert said in error["message"]


def test_the_json_of_another_program_is_not_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("try", "nosuch", "--", "ls", "--json") == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "option"),
    [(("help",), "--help"), (("help", "choose"), "choose --help"), (("version",), "--version")],
)
def test_help_and_version_are_commands_too(
    words: tuple[str, ...], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words) == 0
    said = capsys.readouterr().out
    assert call(*option.split()) == 0
    assert said == capsys.readouterr().out != ""


def test_alone_it_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert call() == 0
    shown = capsys.readouterr().out
    assert call("--help") == 0
    assert shown == capsys.readouterr().out
    assert "first steps:" in shown


def test_a_board_file_does_not_command_the_terminal(
    homes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = load_board("verdex").path.read_text().replace('config = "verdex.config"', 'config = "c"')
    (homes / "c").touch()
    path = homes / "board.toml"
    path.write_text(text.replace('ram = "64 MiB"', r'ram = "\u001b[31m"'))
    assert call("build", str(path)) == 2
    said = capsys.readouterr().err
    assert "machine.ram" in said and "?[31m" in said and "\x1b" not in said
    path.write_text(
        f"# \x9b31m\n{text}".replace('title = "', r'title = "\u001b[2J').replace(
            'description = """', 'description = """\\u001b[2J'
        )
    )
    assert call("boards", "show", str(path)) == 0
    said = capsys.readouterr().out
    assert "?[2J" in said
    assert not {"\x1b", "\x9b"} & set(said)
    assert call("boards", "show", str(path), "--file") == 0
    said = capsys.readouterr().out
    assert said.startswith("# ?31m")
    assert not {"\x1b", "\x9b"} & set(said)


def test_a_stored_run_is_shown_compared_exported_and_reported(
    homes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store(homes, "20260101-000000-boot-verdex-aaaa")
    store(homes, "20260102-000000-boot-verdex-bbbb")
    assert call("runs", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"][:8] for row in rows] == ["20260102", "20260101"]
    assert call("show", "20260101", "--json") == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "perfboard.run/3"
    assert call("show", "latest") == 0
    assert "20260102-000000-boot-verdex-bbbb" in capsys.readouterr().out
    assert call("compare", "20260101", "20260102", "--json") == 0
    assert "changes" in json.loads(capsys.readouterr().out)
    for kind in ("csv", "json", "perfetto"):
        assert call("export", "latest", "--format", kind) == 0
        assert len(capsys.readouterr().out) > 100
    assert call("report", "latest") == 0
    assert Path(capsys.readouterr().out.strip()).read_text().startswith("<!DOCTYPE html>")


def test_runs_are_chosen_and_deleted(homes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"2026010{day}-000000-boot-verdex-aaaa" for day in (1, 2, 3)]
    folders = [store(homes, name) for name in names]
    assert call("runs", "--board", "verdex", "--limit", "2") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [names[2], names[1]]
    assert call("runs", "--board", "rpi2") == 0
    assert call("runs", "--limit", "0") == 2
    assert call("runs", "rm", names[0], "nosuch") == 2
    outside = homes / "elsewhere"
    folders[0].rename(outside)
    assert call("runs", "rm", str(outside), names[1]) == 2
    assert outside.is_dir() and folders[1].is_dir()
    assert call("runs", "rm", names[1]) == 0
    capsys.readouterr()
    assert call("runs") == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [names[2]]
    assert not [path for path in folders[1].parent.iterdir() if path != folders[2]]


def test_runs_are_chosen_by_their_tags(homes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = homes / "boot.log"
    log.write_text("[    0.000000] Linux version 5.10\n[    1.500000] Run /sbin/init as init\n")
    for commit in ("a1", "a2"):
        tags = ("--tag", "branch=main", "--tag", f"commit={commit}")
        assert call("import", str(log), "--name", "cam", *tags) == 0
    assert call("import", str(log), "--name", "cam") == 0
    capsys.readouterr()
    assert call("runs", "--tag", "branch=main") == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split("  ")[-1] for line in lines) == [
        "branch=main, commit=a1",
        "branch=main, commit=a2",
    ]
    assert call("runs", "--tag", "branch=main", "--tag", "commit=a1", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["tags"] == {"branch": "main", "commit": "a1"}
    assert call("show", "commit:a1") == 0
    text = capsys.readouterr().out
    assert row["id"] in text and "branch=main, commit=a1" in text
    for wrong in ("main", "=x", "latest=1", "A=1", "a=b c", "a=b~1", "a=\x1b"):
        assert call("import", str(log), "--tag", wrong) == 2
        assert "give NAME=VALUE" in capsys.readouterr().err
    assert call("import", str(log), "--tag", "a=1", "--tag", "a=2") == 2


def test_a_report_is_opened(
    homes: Path,
    monkeypatch: pytest.MonkeyPatch,
    program: Callable[[str, str], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    store(homes, "20260101-000000-boot-verdex-aaaa")
    program("browse", f'echo "$1" > {homes}/opened')
    monkeypatch.setenv("BROWSER", f"{homes}/programs/browse")
    assert call("report", "--open") == 0
    path = capsys.readouterr().out.strip()
    assert (homes / "opened").read_text().strip() == f"file://{path}"


def test_unfinished_runs_are_listed_alone_and_pruned(
    homes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store(homes, "20260101-000000-boot-verdex-aaaa")
    left = homes / "data/perfboard/runs/.20260102-000000-boot-verdex-bbbb.unfinished"
    (left / "artifacts").mkdir(parents=True)
    assert call("runs", "--unfinished", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["id"], row["status"]) == ("20260102-000000-boot-verdex-bbbb", "unfinished")
    assert call("runs", "prune") == 0
    assert capsys.readouterr().out == f"removed {left}\n"
    assert call("runs", "prune", "--json") == 0
    assert json.loads(capsys.readouterr().out) == []
    assert call("runs", "--json") == 0
    assert [row["status"] for row in json.loads(capsys.readouterr().out)] == ["complete"]


def test_boards_and_studies_are_listed(homes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("boards", "--json") == 0
    (rpi2,) = (row for row in json.loads(capsys.readouterr().out) if row["name"] == "rpi2")
    assert (rpi2["hz"], rpi2["ram"]) == (900_000_000, 1 << 30)
    share = rpi2["margin"]
    assert call("boards") == 0
    listed_boards = capsys.readouterr().out
    (line,) = (line for line in listed_boards.splitlines() if line.startswith("rpi2"))
    assert (
        line.split()[-3:] == [f"±{share:.0%}", "$35,", "2015"]
        and " 900 " in line
        and "1 GiB" in line
    )
    assert all(len(line) <= 80 for line in listed_boards.splitlines())
    assert call("boards", "show", "verdex") == 0
    text = capsys.readouterr().out
    assert "virtual" in text
    assert "64 MiB" in text and "perfboard study boot --board verdex" in text
    for words in (["boards", "--json", "show", "verdex"], ["boards", "show", "verdex", "--json"]):
        assert call(*words) == 0
        assert json.loads(capsys.readouterr().out)["machine"]["ram"] == 64 << 20
    assert call("studies", "--json") == 0
    listed = {study["name"]: study for study in json.loads(capsys.readouterr().out)}
    assert listed["boot"]["factors"]["initcall_debug"] == ["off", "on"]
    assert listed["standard"]["factors"] == {}
    # Nothing was built or fetched for it.
    assert not any(homes.iterdir())


@pytest.mark.parametrize(
    ("says", "said"),
    [
        ("echo QEMU emulator version 5.2.0", "5.2.0; virtual boards need 7.2"),
        ("echo hello", "does not say its version"),
        ("exit 1", "fails"),
    ],
)
def test_an_emulator_that_will_not_do(
    program: Callable[[str, str], None],
    capsys: pytest.CaptureFixture[str],
    says: str,
    said: str,
) -> None:
    program("qemu-system-arm", says)
    assert call("study", "boot", "--board", "verdex") == 3
    assert said in capsys.readouterr().err
