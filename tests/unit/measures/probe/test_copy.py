# SPDX-License-Identifier: Apache-2.0
"""Probes as measures: their metrics, and the figures of mbw's methods."""

from perfboard.binaries.probes import all_probes
from perfboard.measures.base import Finding
from perfboard.measures.catalogue import get_measure
from perfboard.measures.probe.probes import CopyProbe, Probe
from perfboard.probes.records import read_process

COPIES = """\
{"metric":"memory.copy.bandwidth","unit":"B/s","better":"higher",\
"labels":{"method":"memcpy","size":"1048576","loop":"libc"},"samples":[9e7]}
{"metric":"memory.copy.bandwidth","unit":"B/s","better":"higher",\
"labels":{"method":"memcpy","size":"16777216","loop":"libc"},"samples":[3e7,2e7,4e7]}
{"metric":"memory.copy.bandwidth","unit":"B/s","better":"higher",\
"labels":{"method":"dumb","size":"1048576","loop":"c"},"samples":[6e7]}
{"end":{"elapsed_s":1.0}}
"""


def test_copying_is_told_at_mbws_size_or_the_next_above() -> None:
    measure = get_measure("memory.copy")
    assert isinstance(measure, CopyProbe)
    report = read_process("memory.copy", 0, COPIES.splitlines(), "exit 0")
    found = measure.conclude(Finding(report.metrics))
    assert [(f.title, f.metric.labels["size"]) for f in found.figures] == [
        ("memcpy, as mbw, 16 MiB", "16777216"),
        ("word by word, as mbw, 1 MiB, which a cache may hold", "1048576"),
    ]
    # The fastest is of those at mbw's size.
    assert (found.short, found.limit) == ("copies 30.00 MB/s", "the processor and its memory")


def test_a_copy_that_a_cache_may_hold_says_so() -> None:
    measure = get_measure("memory.copy")
    assert isinstance(measure, CopyProbe)
    lines = [line for line in COPIES.splitlines() if "16777216" not in line]
    found = measure.conclude(Finding(read_process("memory.copy", 0, lines, "exit 0").metrics))
    assert found.short == "copies 90.00 MB/s at 1 MiB, which a cache may hold"
    assert found.limit == "" and "No array of 4 MiB or more was copied" in found.why


def test_each_probe_but_the_facts_names_its_metrics() -> None:
    for probe in all_probes():
        measure = get_measure(probe.name)
        assert isinstance(measure, Probe)
        assert bool(measure.metrics) == (probe.name != "system.facts")
        assert all(each.name.startswith(probe.name.split(".")[0]) for each in measure.metrics)
