# SPDX-License-Identifier: Apache-2.0
"""Run folders: made, finished, read back, and found again; and what goes wrong."""

import errno
import hashlib
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.run import Artifact, Run
from perfboard.store.folder import (
    RunFolder,
    find_run,
    finished_folders,
    new_run,
    runs_folder,
    unfinished_folders,
)
from perfboard.store.reading import artifact_file, load_run
from tests.support.runs import make_run

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def finished(artifacts: dict[str, bytes] | None = None) -> Path:
    folder = new_run("boot", "verdex")
    for name, data in (artifacts or {"console.log": b"U-Boot\n"}).items():
        folder.write_artifact(name, data)
    return folder.finish(make_run(folder.id))


def rewrite(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    record = json.loads((folder / "run.json").read_text())
    change(record)
    (folder / "run.json").write_text(json.dumps(record))


def test_a_run_is_not_there_until_it_is_finished_and_then_is_whole() -> None:
    folder = new_run("boot", "verdex")
    folder.write_artifact("console.log", b"hello")
    folder.artifact_path("boot-1/scope.jsonl").write_text("{}\n")
    assert finished_folders() == []
    assert unfinished_folders() == [folder.path]
    assert folder.path.stat().st_mode & 0o077 == 0
    path = folder.finish(make_run(folder.id))
    assert path == runs_folder() / folder.id == folder.path
    assert sorted(entry.name for entry in path.iterdir()) == ["artifacts", "run.json"]
    assert unfinished_folders() == []
    run = load_run(path)
    assert run.model_copy(update={"artifacts": ()}) == make_run(folder.id)
    assert run.artifacts == (
        Artifact(
            path="artifacts/boot-1/scope.jsonl",
            size=3,
            sha256=hashlib.sha256(b"{}\n").hexdigest(),
        ),
        Artifact(path="artifacts/console.log", size=5, sha256=hashlib.sha256(b"hello").hexdigest()),
    )


def test_ids_never_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perfboard.store.folder.datetime", _StoppedClock)
    values = iter(["aaaa", "aaaa", "bbbb", "aaaa", "bbbb", "cccc"])
    monkeypatch.setattr(secrets, "token_hex", lambda _size: next(values))
    first, second = new_run("boot", "verdex"), new_run("boot", "verdex")
    assert (first.id, second.id) == (
        "20261121-091500-boot-verdex-aaaa",
        "20261121-091500-boot-verdex-bbbb",
    )
    first.finish(make_run(first.id))
    assert new_run("boot", "verdex").id.endswith("cccc")


class _StoppedClock:
    @staticmethod
    def now(_zone: object) -> Any:
        return make_run().started


def test_two_processes_at_once_make_runs_of_their_own() -> None:
    code = (
        "from tests.support.runs import make_run\n"
        "from perfboard.store.folder import new_run\n"
        "from perfboard.store.index import list_runs\n"
        "for number in range(8):\n"
        "    folder = new_run('boot', 'verdex')\n"
        "    folder.write_artifact('console.log', b'x' * number)\n"
        "    folder.finish(make_run(folder.id))\n"
        "    assert folder.id in [row.id for row in list_runs() if row.status == 'complete']\n"
    )
    workers = [_python(code) for _ in range(2)]
    for worker in workers:
        _, errors = worker.communicate(timeout=60)
        assert worker.returncode == 0, errors
    assert len(finished_folders()) == 16
    assert len({load_run(path).id for path in finished_folders()}) == 16


def _python(code: str) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(HERE.parents[2]), str(HERE.parents[2] / "src")])
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("name", ["/etc/passwd", "../console.log", "a/../../b", "", "."])
def test_artifacts_stay_inside_the_folder(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of an artifact"):
        new_run("boot", "verdex").write_artifact(name, b"")


def full_disk(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_full_while_writing_an_artifact(monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = finished()
    folder = new_run("boot", "verdex")
    real = Path.write_bytes

    def half(path: Path, data: bytes) -> int:
        real(path, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(EnvironmentLacksError) as caught:
        folder.write_artifact("console.log", b"x" * 4096)
    words = str(caught.value)
    assert "the disk is full" in words
    assert "needs 4 KiB" in words
    assert "are free" in words
    assert str(folder.path) in words
    assert not (folder.path / "artifacts/console.log").exists()
    assert load_run(earlier).artifacts


@pytest.mark.parametrize("call", ["fsync", "rename"])
def test_a_disk_full_while_finishing(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    earlier = finished()
    before = (earlier / "run.json").read_bytes()
    folder = new_run("boot", "verdex")
    folder.write_artifact("console.log", b"kept")
    with monkeypatch.context() as patch:
        patch.setattr(Path if call == "rename" else os, call, full_disk)
        with pytest.raises(EnvironmentLacksError, match="disk is full"):
            folder.finish(make_run(folder.id))
    assert not (folder.path / "run.json").exists()
    assert [entry.name for entry in folder.path.iterdir()] == ["artifacts"]
    assert (folder.path / "artifacts/console.log").read_bytes() == b"kept"
    assert finished_folders() == [earlier]
    assert (earlier / "run.json").read_bytes() == before


def test_a_disk_full_before_a_run_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "mkdir", full_disk)
    with pytest.raises(EnvironmentLacksError, match="disk is full"):
        new_run("boot", "verdex")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file in the way")
    with pytest.raises(EnvironmentLacksError, match=r"cannot write .*XDG_DATA_HOME"):
        new_run("boot", "verdex")


def test_a_run_belongs_in_its_own_folder() -> None:
    with pytest.raises(ValueError, match="does not belong"):
        new_run("boot", "verdex").finish(make_run("another"))


# What came from elsewhere.


def test_a_folder_without_its_record() -> None:
    path = finished()
    (path / "run.json").unlink()
    with pytest.raises(UsageError, match=r"run\.json is missing.*copy it again"):
        load_run(path)


@pytest.mark.parametrize("keep", [0, 1, 100, -2])
def test_a_record_cut_short(keep: int) -> None:
    path = finished()
    text = (path / "run.json").read_bytes()
    (path / "run.json").write_bytes(text[: keep if keep >= 0 else len(text) + keep])
    with pytest.raises(UsageError, match=r"run\.json is not whole.*copied in part"):
        load_run(path)


@pytest.mark.parametrize(
    "text", ["null", "[]", "{}", '"run"', "[" * 100_000, "\xff", '{"schema":1}']
)
def test_a_record_that_is_none(text: str) -> None:
    path = finished()
    (path / "run.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match=r"run\.json is not"):
        load_run(path)


def test_a_newer_schema_is_called_newer() -> None:
    path = finished()
    rewrite(path, lambda record: record.update(schema="perfboard.run/2", novelty=1))
    with pytest.raises(UsageError, match=r"perfboard\.run/2: it was made by a newer Perfboard"):
        load_run(path)


def test_a_wrong_value_is_named_with_its_place() -> None:
    path = finished()
    rewrite(path, lambda record: record["boots"][0]["marks"][1].update(t_ns="\x1b[2J"))
    with pytest.raises(UsageError) as caught:
        load_run(path)
    assert "boots.0.marks.1.t_ns" in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_numbers_beyond_reason_are_refused() -> None:
    for change in ({"t_ns": 10**400}, {"t_ns": 2**63}, {"instructions": -(2**70)}):
        path = finished()

        def spoil(record: Any, change: dict[str, int] = change) -> None:
            record["boots"][0]["marks"][1].update(change)

        rewrite(path, spoil)
        with pytest.raises(UsageError):
            load_run(path)


def test_quantities_too_small_to_divide_by_are_none() -> None:
    path = finished()
    rewrite(path, lambda record: record["metrics"][0].update(samples=[5e-324, -1e-101, 1e-100]))
    assert load_run(path).metrics[0].samples == (0.0, 0.0, 1e-100)


@pytest.mark.parametrize("when", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_moments_that_no_clock_shows_are_refused(when: str) -> None:
    path = finished()
    rewrite(path, lambda record: record.update(started=when))
    with pytest.raises(UsageError, match=r"'started'.*from 1970 to 9998"):
        load_run(path)


def test_a_record_beyond_reason_is_not_read() -> None:
    path = finished()
    os.truncate(path / "run.json", (1 << 30) + 1)
    with pytest.raises(UsageError, match="has 1 GiB, and a record has 1 GiB at most"):
        load_run(path)


def test_an_artifact_that_was_not_copied() -> None:
    path = finished()
    (path / "artifacts/console.log").unlink()
    with pytest.raises(UsageError, match=r"console\.log is missing.*copied in part"):
        load_run(path)


def test_an_artifact_half_copied() -> None:
    path = finished()
    (path / "artifacts/console.log").write_bytes(b"U-B")
    with pytest.raises(UsageError, match=r"console\.log has 3 bytes, and run\.json says 7"):
        load_run(path)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../../secret", "artifacts/../../secret", "", "a\0b", "."]
)
def test_artifact_names_that_lead_out_of_the_folder(name: str) -> None:
    path = finished()
    (path.parent / "secret").write_text("x")
    rewrite(path, lambda record: record["artifacts"][0].update(path=name))
    with pytest.raises(UsageError, match="outside the run folder"):
        load_run(path)


def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    path = finished()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/console.log").write_bytes(b"U-Boot\n")
    artifact = path / "artifacts/console.log"
    artifact.unlink()
    artifact.symlink_to(tmp_path / "outside/console.log")
    with pytest.raises(UsageError, match=r"console\.log is a symbolic link"):
        load_run(path)
    artifact.unlink()
    (path / "artifacts").rmdir()
    (path / "artifacts").symlink_to(tmp_path / "outside")
    with pytest.raises(UsageError, match="artifacts is a symbolic link"):
        load_run(path)


def test_a_record_that_is_a_link_or_a_pipe() -> None:
    path = finished()
    (path / "run.json").rename(path / "real.json")
    (path / "run.json").symlink_to(path / "real.json")
    with pytest.raises(UsageError, match="cannot read"):
        load_run(path)
    (path / "run.json").unlink()
    os.mkfifo(path / "run.json")
    with pytest.raises(UsageError, match="is not a file"):
        load_run(path)


def test_an_artifact_that_is_a_folder() -> None:
    path = finished()
    with pytest.raises(UsageError, match="is not a file"):
        artifact_file(path, "artifacts")


# Finding runs.


def make_named(*names: str) -> list[Path]:
    paths = []
    for name in names:
        folder = new_run("boot", "verdex")
        made = folder.path.with_name(f".{name}.unfinished")
        folder.path.rename(made)
        paths.append(RunFolder(name, made, folder._lock).finish(make_run(name)))
    return paths


def test_runs_are_found_by_id_prefix_path_and_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = make_named("20261120-080000-boot-verdex-1111", "20261121-080000-boot-verdex-2222")
    assert find_run("latest") == new
    assert find_run(old.name) == old
    assert find_run("20261120") == old
    assert find_run(str(old)) == old
    assert find_run(f"{old}/") == old
    assert find_run(str(old / "run.json")) == old
    monkeypatch.chdir(old)
    assert load_run(find_run(".")).id == old.name
    assert load_run(find_run("run.json")).id == old.name
    monkeypatch.chdir(old.parent)
    assert load_run(find_run(f"./{new.name}")).id == new.name


def test_an_id_that_begins_another_is_itself() -> None:
    short, _ = make_named("run-1", "run-11")
    assert find_run("run-1") == short


def test_an_ambiguous_prefix_lists_the_runs_it_may_mean() -> None:
    old, new = make_named("20261120-080000-boot-verdex-1111", "20261121-080000-boot-verdex-2222")
    with pytest.raises(UsageError) as caught:
        find_run("202611")
    assert old.name in str(caught.value)
    assert new.name in str(caught.value)


@pytest.mark.parametrize("text", ["", "nothing", "latest", "no/such/path", "x" * 5000, "a\0b"])
def test_a_run_that_is_not_there(text: str) -> None:
    if text != "latest":
        finished()
    with pytest.raises(UsageError) as caught:
        find_run(text)
    assert str(runs_folder()) in str(caught.value) or "no/such/path" in str(caught.value)


def test_an_unfinished_run_is_not_found_but_named() -> None:
    folder = new_run("boot", "verdex")
    with pytest.raises(UsageError, match="is not finished"):
        find_run(folder.id)


def test_the_record_keeps_every_sample() -> None:
    run: Run = load_run(finished())
    assert run == Run.model_validate_json(run.to_json())
    assert run.metrics == make_run().metrics
