# SPDX-License-Identifier: Apache-2.0
"""The words that scripts print."""

from perfboard.measures.reading import example_time, printed, times_of
from perfboard.model.rows import row_line

TIME = 2 * 10**9, 10**6


def test_the_words_of_a_script_are_read_by_their_names() -> None:
    said = row_line("said", name="grep", text="BusyBox v1.35")
    first, second = (example_time(label, *TIME) for label in "ac")
    output = f"noise\n{first}{said}{said[:-5]}\n{second}garbage\n"
    assert printed(output, "grep") == "BusyBox v1.35" and printed(output, "nothing") == ""
    found = times_of(output)
    assert list(found) == ["a", "c"] and [run.real_s for run in found["c"]] == [2.0]


def test_a_run_of_no_time_is_none() -> None:
    assert times_of(example_time("a", 0, 0)) == {}
