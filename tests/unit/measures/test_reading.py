# SPDX-License-Identifier: Apache-2.0
"""The words that scripts print."""

from perfboard.measures.reading import printed, times_of

TIME = "2000000000 500000 500000 1024 0 0\n"


def test_the_words_of_a_script_are_read_by_their_heads() -> None:
    output = f"noise\n@time a b\n{TIME}@say grep BusyBox v1.35\n{TIME}@time c\n{TIME}garbage\n"
    assert printed(output, "grep") == "BusyBox v1.35" and printed(output, "nothing") == ""
    found = times_of(output)
    assert [run.real_s for run in found["c"]] == [2.0]


def test_a_run_of_no_time_is_none() -> None:
    assert times_of("@time a\n0 0 0 1024 0 0\n") == {"a": []}
