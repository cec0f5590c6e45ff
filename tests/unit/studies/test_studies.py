# SPDX-License-Identifier: Apache-2.0
"""The contract of a study: what each declares."""

import re
from typing import Any

import pytest

from perfboard.model.options import check_target, declared
from perfboard.studies.base import Study, get_study, studies
from perfboard.studies.tune.study import TUNE
from perfboard.targets.opening import kinds

every_study = pytest.mark.parametrize("study", [*studies().values(), TUNE], ids=lambda s: s.name)


def test_the_studies_are_found_by_name() -> None:
    assert {name: study.default_target for name, study in studies().items()} == {
        "boot": "",
        "bringup": "local",
        "packets": "local",
        "standard": "local",
        "wakeups": "local",
    }
    assert all(get_study(name).name == name for name in studies())


@every_study
def test_its_target_is_of_a_kind_that_it_measures(study: Study[Any]) -> None:
    assert set(study.targets) <= kinds().keys()
    assert study.default_target.partition(":")[0] in ("", *(study.targets or kinds()))


@every_study
def test_its_options_need_not_be_given(study: Study[Any]) -> None:
    needed = {"board": "verdex"} if study is TUNE else {}
    check_target(study.options(**needed), study.default_target)
    for each, option in declared(study.options):
        assert re.fullmatch("[a-z][a-z_]*", each.name) and option.help
        assert {*option.only.split(", ")} <= {"", *(study.targets or kinds())}


@every_study
def test_its_words_are_there(study: Study[Any]) -> None:
    assert study.title and study.question.endswith("?")
    assert re.fullmatch(r"([a-z]+(\.[a-z]+)*)?", study.headline)
