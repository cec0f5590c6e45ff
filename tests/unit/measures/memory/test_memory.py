# SPDX-License-Identifier: Apache-2.0
"""Memory of programs and of the kernel."""

import re
import shlex

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.measures.catalogue import get_measure
from perfboard.model.profile import Value
from tests.support.measures import job_of, metrics_of


@pytest.mark.parametrize(
    "parameters", [{}, {"command": 3}, {"command": "x", "packages": "-o evil"}]
)
def test_a_parameter_out_of_range_is_refused(parameters: dict[str, Value]) -> None:
    with pytest.raises(NotMeasurable):
        job_of("memory.application", parameters, EXACT)


def test_a_command_is_one_word_of_the_script() -> None:
    job = job_of("memory.application", {"command": "echo '; rm -rf /"}, EXACT)
    line = job.script.splitlines()[-1].removesuffix(" || exit 1")
    assert shlex.split(line)[1:] == ["memory", "1000", "echo '; rm -rf /"]


def test_the_users_commands_are_those_of_its_parameters() -> None:
    measure = get_measure("memory.application")
    parameters = {**measure.defaults(), "command": "sleep 3", "task": "true"}
    assert measure.commands(parameters) == ["sleep 3", "true"]


def test_the_kernels_sizes_are_those_of_the_files_in_proc() -> None:
    (example,) = get_measure("kernel.image").examples
    found = {m.name: m.samples for m in metrics_of("kernel.image", example.output, {}, EXACT)}
    assert found == {
        "kernel.image.code": (4 << 20,),
        "kernel.image.taken": ((128 << 20) - 4096 - 126000 * 1024,),
        "kernel.image.modules": (98304,),
        "kernel.image.file": (935000,),
    }
    # What another user than root sees.
    hidden = re.sub(r"[0-9a-f]{8}-[0-9a-f]{8}", "00000000-00000000", example.output)
    with pytest.raises(NotMeasurable, match="only root sees"):
        metrics_of("kernel.image", hidden, {}, EXACT)
