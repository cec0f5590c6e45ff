# SPDX-License-Identifier: Apache-2.0
"""The measure of a command: its script, and how the command may end."""

import subprocess
from pathlib import Path

import pytest

from perfboard.bench.job import BoardFailed, NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.measures.catalogue import get_measure
from perfboard.measures.pattern import numbers_in
from perfboard.measures.reading import example_time
from perfboard.model.profile import Value
from tests.support.measures import LIVE, job_of, read


def test_it_is_a_shell_command_without_input() -> None:
    job = job_of("program", {"command": "cat && echo 'it'\"'s\"", "packages": "bc lua5.4"}, EXACT)
    assert job.packages == ("bc", "lua5.4")
    # As the probe runs the words that follow its own.
    script = 'probe() { shift 4; "$@"; }\nPROBE=probe\n' + job.script.replace("> /dev/null", "")
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, timeout=20, input="a console's"
    )
    assert done.stdout.startswith("it's\n")


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (127, NotMeasurable, "names a program that is not there"),
        (139, BoardFailed, "ended the command"),
    ],
)
def test_what_did_not_run_to_its_end_has_no_time(
    status: int, error: type[NotMeasurable], said: str
) -> None:
    with pytest.raises(error, match=said):
        read("program", example_time("program", 2 * 10**9, 1_000_000, status=status))


PRINTS: dict[str, Value] = {"command": "./bench", "pattern": "([0-9.]+) MB", "unit": "MB/s"}


def printed(*texts: str) -> str:
    """The output of a run that printed each of these."""
    once = example_time("program", 10**9, 10**6)
    return "".join(once + "".join(f">{line}\n" for line in text.split("\n")) for text in texts)


def test_the_number_that_a_program_prints_is_its_metric() -> None:
    texts = ["warm 90 MB\nmain 7.5 MB\nend"] + ["8 MB"] * 4
    found = read("program", printed(*texts), LIVE, **PRINTS, better="higher")
    (result,) = (metric for metric in found.metrics if metric.name == "program.result")
    # The last line that it fits.
    assert result.samples == (7.5e6, *[8e6] * 4)
    assert (result.unit, result.better) == ("B/s", "higher")
    quantity = get_measure("program").given({**PRINTS, "better": "higher"}).quantity(result.name)
    assert quantity is not None
    assert (quantity.unit, quantity.better, quantity.work) == ("B/s", "higher", "several")


def test_the_output_of_a_program_is_quoted_and_none_of_its_lines_is_a_row(tmp_path: Path) -> None:
    row = example_time("program", 1, 1).strip()
    job = job_of("program", {**PRINTS, "command": f"echo '{row}'; echo 3 MB; cat; printf end"})
    script = 'probe() { shift 4; "$@"; echo row >> times; }\nPROBE=probe\n' + job.script
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, timeout=20, cwd=tmp_path, input="in"
    )
    assert done.stdout == f"row\n>{row}\n>3 MB\n>end\n" * 5
    own = example_time("program", 10**9, 10**6)
    found = read("program", done.stdout.replace("row\n>", f"{own}>"), LIVE, **PRINTS)
    times = next(metric for metric in found.metrics if metric.name == "program.time")
    assert times.samples == (1.0,) * 5


def test_a_long_output_is_cut_and_that_is_said(tmp_path: Path) -> None:
    line = "x" * 99 + "\n"
    found = read("program", printed(*["1 MB\n" + line * 10_000] * 5), LIVE, **PRINTS)
    assert found.notes == ("The first 1 MB of its output was looked at.",)
    assert read("program", printed(*["1 MB"] * 5), LIVE, **PRINTS).notes == ()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"pattern": "(", "unit": "s"}, "is no regular expression"),
        ({"pattern": "[0-9]+", "unit": "s"}, "has 0 groups; give one"),
        ({"pattern": "(.)(.)", "unit": "s"}, "has 2 groups"),
        ({"pattern": f"({'a' * 200})", "unit": "s"}, "has 202 characters"),
        ({"pattern": "(.)"}, "pattern needs a unit"),
        ({"pattern": "(.)", "unit": "MBs"}, 'there is no "MBs"; did you mean "MB/s"'),
        ({"unit": "s"}, "give that too"),
        ({"better": "more"}, "give lower or higher"),
    ],
)
def test_a_number_that_cannot_be_found_is_refused_beforehand(
    parameters: dict[str, Value], said: str
) -> None:
    with pytest.raises(NotMeasurable) as refused:
        job_of("program", {"command": "./bench", **parameters})
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "fits no line of the output: it has none"),
        ("nothing\x1b here\n", "the last is 'nothing? here'"),
        ("1.2.3 MB", "found '1.2.3': no number"),
    ],
)
def test_an_output_without_the_number_has_none(text: str, said: str) -> None:
    with pytest.raises(NotMeasurable) as refused:
        read("program", printed(*[text] * 5), LIVE, **PRINTS)
    assert said in str(refused.value)


def test_a_pattern_that_would_take_for_ever_ends() -> None:
    with pytest.raises(NotMeasurable, match="takes more than"):
        numbers_in("^((?:a+)+)$", [["a" * 60 + "b"]], limit_s=0.5)


def test_a_command_of_ones_own_is_asked_for() -> None:
    with pytest.raises(NotMeasurable, match="needs a command"):
        job_of("program", {})
    assert list(get_measure("program").commands({"command": "bc"})) == ["bc"]
