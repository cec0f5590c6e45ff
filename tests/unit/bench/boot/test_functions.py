# SPDX-License-Identifier: Apache-2.0
"""A boot's functions: from the scope's profile to the artifact, and from there to a gate."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.analysis.gate.artifacts import with_functions
from perfboard.analysis.gate.change import GateLevel, Rules
from perfboard.analysis.gate.judge import judge
from perfboard.bench.boot.functions import Namer
from perfboard.boards.loader import load_board
from perfboard.images.image import Image
from perfboard.model.errors import UsageError
from perfboard.model.functions import UNKNOWN, BootFunctions, PhaseFunctions
from perfboard.model.results.program import FunctionTime
from perfboard.store.image import FUNCTIONS, read_functions
from tests.support.runs import MARKS, make_boot, make_run


@pytest.fixture
def image(tmp_path: Path) -> Image:
    (tmp_path / "System.map").write_text("c0008000 T _text\nc0008004 T first\nc0008010 T second\n")
    return Image((), tmp_path / "zImage", {}, {}, (), {}, {})


def lap(ns: int, *blocks: tuple[int, int]) -> str:
    rows = [[address, 1, fs, 2] for address, fs in blocks]
    return json.dumps({"lap": ns, "blocks": [*rows, []]}) + "\n"


def test_each_phase_has_its_functions(image: Image, tmp_path: Path) -> None:
    artifacts = tmp_path / "artifacts" / "boot-1"
    artifacts.mkdir(parents=True)
    (artifacts / "profile.jsonl").write_text(
        lap(MARKS["kernel.sched_init"], (0xC0008004, 5))
        + lap(MARKS["exec:S20devices"], (0xC0008004, 10), (0x10000, 30))
        + lap(MARKS["usable"], (0xC0008014, 20), (0xC0008004, 1))
        # The board went on after it was usable.
        + lap(MARKS["usable"] + 1, (0xC0008004, 1000))
    )
    Namer(image, load_board("verdex")).write(artifacts, make_boot())
    assert [path.name for path in artifacts.iterdir()] == [FUNCTIONS]
    found = read_functions(tmp_path)
    assert found is not None
    times = {
        (phase.phase, each.file, each.name): round(each.time_s * 1e15)
        for phase in found.phases
        for each in phase.functions
    }
    assert times == {
        ("boot.kernel.load", "kernel", "first"): 5,
        ("boot.userspace", UNKNOWN, "all"): 30,
        ("boot.userspace", "kernel", "second"): 20,
        ("boot.userspace", "kernel", "first"): 11,
    }


def test_a_board_without_a_profile_has_no_functions(image: Image, tmp_path: Path) -> None:
    Namer(image, load_board("verdex")).write(tmp_path, make_boot())
    assert read_functions(tmp_path) is None


def test_a_folder_that_is_not_there_is_refused_and_a_damaged_file(
    image: Image, tmp_path: Path
) -> None:
    loaded = load_board("verdex")
    own = loaded.board.image.model_copy(update={"tree": tmp_path / "nosuch"})
    changed = replace(loaded, board=loaded.board.model_copy(update={"image": own}))
    with pytest.raises(UsageError, match=r"image\.tree: .*nosuch is no folder"):
        Namer(image, changed)
    path = tmp_path / "artifacts" / "boot-1" / FUNCTIONS
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    with pytest.raises(UsageError, match="has not the functions of a boot"):
        read_functions(tmp_path)


def functions(*rows: tuple[str, str, float, int]) -> BootFunctions:
    found = tuple(
        FunctionTime(file=file, name=name, time_s=time, instructions=count)
        for file, name, time, count in rows
    )
    return BootFunctions(phases=(PhaseFunctions(phase="boot.userspace", functions=found),))


def test_a_gate_names_the_loop_that_was_added_though_the_layout_did_more() -> None:
    base = make_run("base", boots=(make_boot(),))
    later = make_run("later", boots=(make_boot({"exec:S20devices": 500_000}),))
    old = functions(
        ("/sbin/init", "main", 1e-6, 500), ("/lib/libc", "fork", 1e-5, 90), ("kernel", "copy", 1, 9)
    )
    new = functions(
        ("/sbin/init", "main", 1e-6, 500),
        ("/sbin/init", "wait", 5e-6, 1000),
        ("/lib/libc", "fork", 1e-5, 100),
        ("kernel", "copy", 1.0004, 9000),
    )
    judged = judge(later, (base,), "", Rules(fail_above=0.0))
    found = with_functions(judged, old, new)
    named = [(each.name, each.before) for each in found.causes if each.kind == "function"]
    assert named == [
        ("wait in /sbin/init: 1,000 more instructions", None),
        ("copy in kernel, boot.userspace", 1),
    ]
    assert with_functions(judged, None, new) == judged
    same = judge(base, (base,), "", Rules())
    assert with_functions(same, old, new) == same


def test_where_nothing_is_allowed_a_loop_is_worse_though_the_boot_got_shorter() -> None:
    base = make_run("base", boots=(make_boot({"exec:S20devices": 500_000}),))
    later = make_run("later", boots=(make_boot(),))
    old = functions(("/sbin/init", "main", 1e-6, 500), ("kernel", "copy", 1, 9000))
    new = functions(("/sbin/init", "main", 5e-6, 1500), ("kernel", "copy", 1, 9))
    found = with_functions(judge(later, (base,), "", Rules(fail_above=0.0)), old, new)
    total, programs = found.findings
    assert (total.level, programs.level, found.level) == (
        GateLevel.BETTER,
        GateLevel.WORSE,
        GateLevel.WORSE,
    )
    assert (programs.metric, programs.difference) == ("boot.programs.instructions", 1000)
    assert [cause.name for cause in found.causes if cause.kind == "function"] == [
        "main in /sbin/init: 1,000 more instructions"
    ]
    allowed = judge(later, (base,), "", Rules())
    assert with_functions(allowed, old, new) == allowed
