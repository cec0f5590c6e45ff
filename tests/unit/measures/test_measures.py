# SPDX-License-Identifier: Apache-2.0
"""All measures: their examples are read back, and anything else is read or refused."""

import importlib
import pkgutil
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

import perfboard.measures
from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT, Example, Finding, Measure, Setting
from perfboard.measures.catalogue import all_measures
from perfboard.model.run import MetricName
from tests.support.measures import read_example, setting_of

MEASURES = tuple(all_measures().values())
# The others boot, talk, or run the probe's server.
WITH_JOBS = [each for each in MEASURES if type(each).read is not Measure.read]
EXAMPLES = [
    pytest.param(measure, example, id=f"{measure.name}-{number}")
    for measure in WITH_JOBS
    for number, example in enumerate(measure.examples, 1)
]
NAME: TypeAdapter[str] = TypeAdapter(MetricName)


def check_declared(measure: Measure, found: Finding) -> None:
    """Each metric has the name, the unit and the better way of one that the measure declares."""
    declared = {(each.name, each.unit, each.better) for each in measure.metrics}
    assert {(each.name, each.unit, each.better) for each in found.metrics} <= declared


def check_read_or_refused(measure: Measure, example: Example, output: str) -> None:
    try:
        check_declared(measure, read_example(measure, example, output))
    except NotMeasurable as error:
        assert str(error)


@pytest.mark.parametrize(("measure", "example"), EXAMPLES)
def test_an_example_gives_the_figures_that_it_states(measure: Measure, example: Example) -> None:
    found = read_example(measure, example)
    check_declared(measure, found)
    # Of several metrics of one name, the first one's.
    figures = {each.name: each.samples[0] for each in reversed(found.metrics)}
    assert figures == pytest.approx(dict(example.figures))


@pytest.mark.parametrize("measure", WITH_JOBS, ids=lambda one: one.name)
def test_the_examples_of_a_measure_give_all_metrics_that_it_declares(measure: Measure) -> None:
    given = {name for example in measure.examples for name in example.figures}
    assert given == {each.name for each in measure.metrics}


@pytest.mark.parametrize(("measure", "example"), EXAMPLES)
def test_an_example_that_is_cut_is_read_or_refused(measure: Measure, example: Example) -> None:
    output = example.output
    ends = {match.end() for match in re.finditer("\n", output)}
    for end in sorted(ends | {len(output) * part // 50 for part in range(50)}):
        check_read_or_refused(measure, example, output[:end])


@pytest.mark.parametrize("measure", WITH_JOBS, ids=lambda one: one.name)
@given(data=st.data())
def test_any_output_is_read_or_refused(measure: Measure, data: st.DataObject) -> None:
    example = data.draw(st.sampled_from(measure.examples))
    noise = st.text(alphabet='{"row":time,}0123456789 .\n', max_size=200)
    lines = st.sampled_from(example.output.splitlines())
    # A number that nobody foresaw, in its first places.
    damaged = st.builds(
        lambda line, number, places: re.sub(r"\d+", number, line, count=places),
        lines,
        st.sampled_from(["0", "1", "-1", "9" * 12, "9" * 18, "9" * 30]),
        st.integers(1, 4),
    )
    output = data.draw(st.lists(st.one_of(lines, damaged, noise), max_size=20).map("\n".join))
    check_read_or_refused(measure, example, output)
    # The same among what is whole.
    check_read_or_refused(measure, example, f"{example.output}{output}")


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.name)
def test_a_measure_works_by_its_defaults_or_says_what_it_wants(measure: Measure) -> None:
    setting = setting_of(measure, {}, EXACT)
    try:
        job = measure.job(setting)
    except NotMeasurable as error:
        assert str(error)
    else:
        assert job is not None or measure not in WITH_JOBS
    assert not measure.commands(measure.defaults())


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.name)
def test_a_measure_says_what_it_is(measure: Measure) -> None:
    assert measure.title and type(measure).__doc__
    for parts in (measure.parameters, measure.metrics):
        assert all(each.help for each in parts)
        names = [each.name for each in parts]
        assert len(names) == len(set(names))
    for name in (measure.name, *(each.name for each in measure.metrics)):
        assert NAME.validate_python(name) == name


def test_no_two_measures_have_the_same_name() -> None:
    path, room = perfboard.measures.__path__, "perfboard.measures."
    modules = [importlib.import_module(each.name) for each in pkgutil.walk_packages(path, room)]
    names = [each.name for module in modules for each in getattr(module, "MEASURES", ())]
    assert len(names) == len(set(names)) and set(names) <= set(all_measures())


@pytest.mark.parametrize("measure", WITH_JOBS, ids=lambda one: one.name)
def test_the_defaults_make_a_job_but_where_the_user_gives_the_command(measure: Measure) -> None:
    try:
        measure.job(Setting(measure.defaults(), EXACT))
    except NotMeasurable as error:
        assert "command" in measure.defaults() and str(error) == "needs a command"


@pytest.mark.parametrize(("measure", "example"), EXAMPLES)
def test_an_example_has_the_labels_that_the_measure_declares(
    measure: Measure, example: Example
) -> None:
    for metric in read_example(measure, example).metrics if measure.labels else ():
        for name, value in metric.labels.items():
            assert value in measure.labels[name]
