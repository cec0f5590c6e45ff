# SPDX-License-Identifier: Apache-2.0
"""What scripts print is what their measures read, a sample for each repeat."""

import re
from dataclasses import replace

import pytest

from perfboard.measures.catalogue import get_measure
from perfboard.measures.media.image_index import SUMS
from perfboard.measures.media.listing_search import QUERIES
from tests.support.measures import LIVE, job_of, metrics_of

TWICE = replace(LIVE, repeats=2)
TIME = "2000000000 500000 500000 1024 0 0\n"
FRAMES = "900 34000\n" * 150
# Those that measure each thing as often as they are told to.
NAMES = (
    "audio.encode",
    "image.index",
    "image.scale",
    "kernel.image",
    "listing.search",
    "media.both",
    "media.play",
    "media.record",
    "memory.application",
    "program",
    "stream.write",
)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_script_is_to_print_gives_each_metric_with_a_sample_a_repeat(name: str) -> None:
    measure = get_measure(name)
    (example,) = measure.examples
    parameters = {} if name.startswith("media.") else example.parameters
    script = job_of(name, parameters, TWICE).script
    labels = re.findall(r"@time (\S+);", script)
    output = "".join(f"@time {label}\n{TIME}{TIME}" for label in labels)
    output += "".join(
        f"@say hits.{query} {2 * hits}\n@say counts.{query} {hits} {hits}\n"
        for query, (_, hits) in QUERIES.items()
    )
    for line in re.findall(r"media (.*) \|\|", script):
        words = line.split()
        output += f"@rate {words[5]}\n" + int(words[0]) * f"@media record\n{FRAMES}"
        output += int(words[1]) * f"@media play\n{FRAMES}" + "@writeback 9000 4096 40960\n"
    output += f"@say sum {SUMS[640, 480]}\n@say entries 4\n"
    if name == "kernel.image":
        output += example.output * script.count("echo @sizes")
    if name == "memory.application":
        output += example.output * len(re.findall(r'PROBE" memory', script))
    if name == "stream.write":
        output += example.output * 2
    metrics = metrics_of(name, output, parameters, TWICE)
    assert {metric.name for metric in metrics} == {each.name for each in measure.metrics}
    assert all(len(metric.samples) == 2 for metric in metrics if not metric.name.endswith(".frame"))
