# SPDX-License-Identifier: Apache-2.0
"""Run folders read back, as they were made, copied in part, or by anyone."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perfboard.model.errors import UsageError
from perfboard.model.run import Run
from perfboard.store.reading import artifact_file, load_run
from tests.support.runs import boots_of, make_run, stored


def rewrite(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    record = json.loads((folder / "run.json").read_text())
    change(record)
    (folder / "run.json").write_text(json.dumps(record))


def test_a_folder_without_its_record() -> None:
    path = stored()
    (path / "run.json").unlink()
    with pytest.raises(UsageError, match=r"run\.json is missing.*copy it again"):
        load_run(path)


@pytest.mark.parametrize("keep", [0, 1, 100, -2])
def test_a_record_cut_short(keep: int) -> None:
    path = stored()
    text = (path / "run.json").read_bytes()
    (path / "run.json").write_bytes(text[: keep if keep >= 0 else len(text) + keep])
    with pytest.raises(UsageError, match=r"run\.json is not whole.*copied in part"):
        load_run(path)


@pytest.mark.parametrize(
    "text", ["null", "[]", "{}", '"run"', "[" * 100_000, "\xff", '{"schema":1}']
)
def test_a_record_that_is_none(text: str) -> None:
    path = stored()
    (path / "run.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match=r"run\.json is not"):
        load_run(path)


def test_a_newer_schema_is_called_newer() -> None:
    path = stored()
    rewrite(path, lambda record: record.update(schema="perfboard.run/4", novelty=1))
    with pytest.raises(UsageError, match=r"perfboard\.run/4: it was made by a newer Perfboard"):
        load_run(path)


def test_a_wrong_value_is_named_with_its_place() -> None:
    path = stored()
    rewrite(path, lambda record: boots_of(record)[0]["marks"][1].update(t_ns="\x1b[2J"))
    with pytest.raises(UsageError) as caught:
        load_run(path)
    assert "boots.0.marks.1.t_ns" in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_numbers_beyond_reason_are_refused() -> None:
    for change in ({"t_ns": 10**400}, {"t_ns": 2**63}, {"instructions": -(2**70)}):
        path = stored()

        def spoil(record: Any, change: dict[str, int] = change) -> None:
            boots_of(record)[0]["marks"][1].update(change)

        rewrite(path, spoil)
        with pytest.raises(UsageError):
            load_run(path)


def test_quantities_too_small_to_divide_by_are_none() -> None:
    path = stored()
    rewrite(path, lambda record: record["metrics"][0].update(samples=[5e-324, -1e-101, 1e-100]))
    assert load_run(path).metrics[0].samples == (0.0, 0.0, 1e-100)


@pytest.mark.parametrize("when", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_moments_that_no_clock_shows_are_refused(when: str) -> None:
    path = stored()
    rewrite(path, lambda record: record.update(started=when))
    with pytest.raises(UsageError, match=r"'started'.*from 1970 to 9998"):
        load_run(path)


def test_a_record_beyond_reason_is_not_read() -> None:
    path = stored()
    os.truncate(path / "run.json", (1 << 30) + 1)
    with pytest.raises(UsageError, match="has 1 GiB; give a run's record, which has 1 GiB at most"):
        load_run(path)


def test_an_artifact_that_was_not_copied() -> None:
    path = stored()
    (path / "artifacts/console.log").unlink()
    with pytest.raises(UsageError, match=r"console\.log is missing.*copied in part"):
        load_run(path)


def test_an_artifact_half_copied() -> None:
    path = stored()
    (path / "artifacts/console.log").write_bytes(b"U-B")
    with pytest.raises(UsageError, match=r"console\.log has 3 bytes, and run\.json says 7"):
        load_run(path)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../../secret", "artifacts/../../secret", "", "a\0b", "."]
)
def test_artifact_names_that_lead_out_of_the_folder(name: str) -> None:
    path = stored()
    (path.parent / "secret").write_text("x")
    rewrite(path, lambda record: record["artifacts"][0].update(path=name))
    with pytest.raises(UsageError, match="outside the run folder"):
        load_run(path)


def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    path = stored()
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
    path = stored()
    (path / "run.json").rename(path / "real.json")
    (path / "run.json").symlink_to(path / "real.json")
    with pytest.raises(UsageError, match="cannot read"):
        load_run(path)
    (path / "run.json").unlink()
    os.mkfifo(path / "run.json")
    with pytest.raises(UsageError, match=r"run.json: is a pipe; give a run's record"):
        load_run(path)


def test_an_artifact_that_is_a_folder() -> None:
    path = stored()
    with pytest.raises(UsageError, match="is not a file"):
        artifact_file(path, "artifacts")


def test_the_record_keeps_every_sample() -> None:
    run: Run = load_run(stored())
    assert run == Run.model_validate_json(run.to_json())
    assert run.metrics == make_run().metrics
