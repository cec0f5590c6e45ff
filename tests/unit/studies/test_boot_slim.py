# SPDX-License-Identifier: Apache-2.0
"""What stays of the options that a boot seems not to need, where it fails without them."""

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest

import perfboard.studies.boot.slim as slimming
from perfboard.images.kernel.slim import Slim
from perfboard.images.kernel.system_map import SystemMap
from perfboard.images.variant import Variant
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.progress import Progress, SilentProgress
from perfboard.studies.boot.slim import slim_options

FOUND = tuple(f"CONFIG_{name}" for name in "ABCDEFGH")
USUAL = (("exec:ip",), ("up",))


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The options without which a boot of verdex does not do; the boots are made up."""
    without: set[str] = set()

    def boot(
        variant: Variant, functions: Iterable[int], _: Progress
    ) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], list[int]]:
        assert variant.timed
        if variant.levels["config"] == "board":
            return USUAL, [min(functions)]
        slim = variant.board.image.kernel.slim
        assert slim["CONFIG_EXPERT"] == "y"
        at_fault = without.intersection(slim)
        if "CONFIG_B" in at_fault:
            raise TargetError("panic", "The kernel panicked: no init")
        if "CONFIG_E" in at_fault:
            raise UsageError("the kernel's configuration drops CONFIG_E")
        return (USUAL[0], ("ip: no such device",)) if at_fault else USUAL, []

    monkeypatch.setattr(slimming, "_boot", boot)
    image = SimpleNamespace(kernel_file=Path("kernel", "zImage"))
    monkeypatch.setattr(slimming, "build_image", lambda *given: image)
    monkeypatch.setattr(slimming, "read_map", lambda path: SystemMap({}, frozenset({8, 16})))
    return without


def finds(monkeypatch: pytest.MonkeyPatch, *off: str) -> None:
    def found(variant: object, kernel: Path, ran: Iterable[int], _: Progress) -> Slim:
        assert (kernel, ran) == (Path("kernel"), [8])
        return Slim(off, {"CONFIG_EXPERT": "y"})

    monkeypatch.setattr(slimming, "find_slim", found)


@pytest.mark.parametrize(
    "names", [(), ("CONFIG_B",), ("CONFIG_E",), ("CONFIG_H",), ("CONFIG_B", "CONFIG_C", "CONFIG_H")]
)
def test_options_without_which_a_boot_fails_or_differs_stay(
    faulty: set[str], monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    finds(monkeypatch, *FOUND)
    faulty.update(names)
    rest = dict.fromkeys((name for name in FOUND if name not in names), "n")
    assert slim_options("verdex", SilentProgress()) == {"CONFIG_EXPERT": "y", **rest}


def test_where_nothing_can_be_off_nothing_is_asked_for(
    faulty: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    finds(monkeypatch)
    assert slim_options("verdex", SilentProgress()) == {}
    finds(monkeypatch, "CONFIG_H")
    faulty.add("CONFIG_H")
    assert slim_options("verdex", SilentProgress()) == {}
