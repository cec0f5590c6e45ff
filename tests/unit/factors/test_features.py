# SPDX-License-Identifier: Apache-2.0
"""A set of features of the kernel, as one level of a factor."""

import pytest

from perfboard.factors.choose import trial_factors, with_features
from perfboard.images.kernel.features import known_features
from perfboard.images.recipe import Recipe
from perfboard.model.errors import UsageError
from tests.support.variants import variant_of


def options(level: str) -> dict[str, str]:
    return dict(variant_of("omap1710", features=level).recipe.options)


def test_a_set_has_the_options_of_all_its_features_in_any_order() -> None:
    assert options("none") == {}
    both = options("dm-crypt+xfs")
    assert both == options("xfs+dm-crypt") == options("dm-crypt") | options("xfs")
    assert both["CONFIG_DM_CRYPT"] == both["CONFIG_XFS_FS"] == "y"
    assert options("+".join(known_features()))


@pytest.mark.parametrize("level", ["ext3", "", "ext4+", "+ext4", "ext4+ext4", "none+ext4", "../x"])
def test_what_is_no_set_of_features_is_answered_with_those_there_are(level: str) -> None:
    with pytest.raises(UsageError, match=r"factor features has no level .*dm-crypt, dm-flakey"):
        variant_of("rpi2", features=level)


def test_features_are_added_to_those_asked_for() -> None:
    asked = variant_of("bifferboard", features="xfs")
    more = with_features(asked, ("ext4", "xfs"))
    assert more.levels["features"] == "ext4+xfs"
    assert with_features(more, ()).recipe == more.recipe
    assert with_features(variant_of("bifferboard"), ()).recipe == Recipe(asked.loaded.board)


def test_a_trial_has_features_and_no_tune_varies_them() -> None:
    factor = trial_factors(variant_of("rpi2").board)["features"]
    assert factor.observes and factor.default == "none"
    assert set(factor.levels) == {"none", *known_features()}
