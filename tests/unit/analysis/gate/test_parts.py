# SPDX-License-Identifier: Apache-2.0
"""The parts of an image that a gate names."""

from perfboard.analysis.gate.artifacts import with_parts
from perfboard.analysis.gate.change import GateLevel, Rules
from perfboard.analysis.gate.judge import judge
from perfboard.analysis.gate.parts import part_changes
from perfboard.model.parts import FilePart, ImageParts
from tests.support.runs import make_boot, make_run


def parts(config: dict[str, str] | None, **files: int) -> ImageParts:
    return ImageParts(
        config=config,
        files={name: FilePart(size=size, sha256=f"{size:064x}") for name, size in files.items()},
    )


def test_changed_options_and_files_are_named_with_both_sides() -> None:
    before = parts({"CONFIG_A": "y", "CONFIG_B": "1"}, init=10, same=3, gone=4)
    after = parts({"CONFIG_A": "y", "CONFIG_B": "2", "CONFIG_C": "m"}, init=1234, same=3)
    assert [(each.what, each.before, each.after) for each in part_changes(before, after)] == [
        ("CONFIG_B", "1", "2"),
        ("CONFIG_C", None, "m"),
        ("gone", "4 B (00000000)", None),
        ("init", "10 B (00000000)", "1,234 B (00000000)"),
    ]
    assert part_changes(before, before) == ()


def test_an_image_that_does_not_tell_changes_nothing_and_many_are_counted() -> None:
    assert part_changes(parts(None), parts({"CONFIG_A": "y"})) == ()
    many = parts({f"CONFIG_{n}": "y" for n in range(25)})
    *named, rest = part_changes(parts({}), many)
    assert len(named) == 10 and rest.what == "15 more options of the kernel"


def test_only_a_run_that_got_worse_is_explained() -> None:
    base = make_run("base", boots=(make_boot(),))
    late = make_run("late", boots=(make_boot({"exec:S20devices": 900_000_000}),))
    sides = parts({"CONFIG_A": "y"}), parts({"CONFIG_A": "m"})
    found = with_parts(judge(late, (base,), "", Rules()), *sides)
    assert found.level is GateLevel.WORSE
    assert found.changes[-1].what == "CONFIG_A"
    same = judge(base, (base,), "", Rules())
    assert with_parts(same, *sides) == same
    assert with_parts(found, None, sides[1]) == found
