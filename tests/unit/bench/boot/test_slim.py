# SPDX-License-Identifier: Apache-2.0
"""What stays of the options that a boot seems not to need, where it fails without them."""

import pytest

from perfboard.bench.boot.slim import Behaviour, done_without
from perfboard.images.kernel.slim import Slim
from perfboard.images.variant import Variant
from perfboard.model.errors import TargetError, UsageError
from tests.support.board_files import built_kernel
from tests.support.variants import variant_of

FOUND = tuple(f"CONFIG_{name}" for name in "ABCDEFGH")
USUAL = (("exec:ip",), ("up",))


def options(found: tuple[str, ...], *needed: str) -> dict[str, str]:
    """What a boot of verdex, made up, does without of what was found, where it needs some."""

    def boot(variant: Variant) -> Behaviour:
        assert variant.levels["config"] == "slim"
        slim = built_kernel(variant.board).slim
        assert slim["CONFIG_EXPERT"] == "y"
        at_fault = set(needed).intersection(slim)
        if "CONFIG_B" in at_fault:
            raise TargetError("panic", "The kernel panicked: no init")
        if "CONFIG_E" in at_fault:
            raise UsageError("the kernel's configuration drops CONFIG_E")
        return (USUAL[0], ("ip: no such device",)) if at_fault else USUAL

    return done_without(variant_of(), USUAL, Slim(found, {"CONFIG_EXPERT": "y"}), boot)


@pytest.mark.parametrize(
    "names", [(), ("CONFIG_B",), ("CONFIG_E",), ("CONFIG_H",), ("CONFIG_B", "CONFIG_C", "CONFIG_H")]
)
def test_options_without_which_a_boot_fails_or_differs_stay(names: tuple[str, ...]) -> None:
    rest = dict.fromkeys((name for name in FOUND if name not in names), "n")
    assert options(FOUND, *names) == {"CONFIG_EXPERT": "y", **rest}


def test_where_nothing_can_be_off_nothing_is_asked_for() -> None:
    assert options(()) == {}
    assert options(("CONFIG_H",), "CONFIG_H") == {}
