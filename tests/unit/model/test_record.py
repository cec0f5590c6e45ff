# SPDX-License-Identifier: Apache-2.0
"""The keys of a record that are written only if somebody gave them."""

import json

import pytest

from perfboard.model.results.boot import Mark
from perfboard.model.run import Metric, Run
from tests.support.runs import make_boot, make_run

MARK = {"name": "a", "t_ns": 5, "clock": "virtual", "source": "scope"}


def test_a_mark_has_bounds_if_they_are_given() -> None:
    plain = Mark.model_validate(MARK).model_dump(mode="json")
    assert not {"from_ns", "to_ns"} & plain.keys()
    bounded = Mark.model_validate(MARK | {"from_ns": None, "to_ns": 9})
    written = json.loads(bounded.model_dump_json())
    # That there is no bound is a value: it is written, where nobody knows of one it is not.
    assert (written["from_ns"], written["to_ns"]) == (None, 9)
    assert written == plain | {"from_ns": None, "to_ns": 9}
    assert Mark.model_validate(written) == bounded


@pytest.mark.parametrize("given", [{}, {"measurement": 0}, {"between": (1.0, None)}])
def test_a_metric_has_the_keys_that_are_given(given: dict[str, object]) -> None:
    metric = Metric(name="a.b", unit="s", samples=(), **given)
    written = json.loads(metric.model_dump_json())
    assert {"measurement", "between"} & written.keys() == given.keys()
    assert Metric.model_validate(written) == metric


def test_a_run_is_written_as_it_was_read() -> None:
    metrics = (Metric(name="a", unit="s", samples=(), between=(1, None), measurement=None),)
    text = make_run(boots=(make_boot(),), metrics=metrics).to_json()
    assert '"measurement": null' in text and "from_ns" not in text
    assert Run.model_validate_json(text).to_json() == text


def test_a_reader_may_leave_keys_out() -> None:
    mark = Mark.model_validate(MARK | {"from_ns": None})
    assert "from_ns" not in mark.model_dump(exclude_none=True)
