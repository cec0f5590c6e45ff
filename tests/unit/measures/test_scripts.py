# SPDX-License-Identifier: Apache-2.0
"""What scripts print is what their measures read, a sample for each repeat."""

import re
from dataclasses import replace

import pytest

from perfboard.measures.catalogue import get_measure
from perfboard.measures.media.image_index import SUMS
from perfboard.measures.media.listing_search import QUERIES
from perfboard.measures.reading import example_time
from perfboard.model.rows import row_line
from tests.support.measures import LIVE, job_of, metrics_of

TWICE = replace(LIVE, repeats=2)
FRAMES = {"took_us": [900] * 150, "since_due_us": [34_000] * 150}
FLOW = {"frames": 4000, "called_us": 1_000_000, "done_us": 10_000_000}
CACHE = {"dirty_bytes": 9000, "under_way_bytes": 4096, "wrote_bytes": 40_960}
# Those that measure each thing as often as they are told to.
NAMES = (
    "audio.decode",
    "audio.encode",
    "image.index",
    "image.scale",
    "kernel.image",
    "listing.search",
    "media.both",
    "media.play",
    "media.record",
    "media.video",
    "memory.application",
    "program",
    "stream.write",
)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_script_is_to_print_gives_each_metric_with_a_sample_a_repeat(name: str) -> None:
    measure = get_measure(name)
    example = measure.examples[0]
    parameters = {} if name.startswith("media.") else example.parameters
    script = job_of(name, parameters, TWICE).script
    runs = re.findall(r'"\$PROBE" time times (\S+) ([12]) ', script)
    # What the program of an example prints.
    after = ">score 5\n" if name == "program" else ""
    output = "".join(
        f"{example_time(label, 2 * 10**9, 10**6)}{after}" * int(count) for label, count in runs
    )
    said = {"bytes": "176400", "sum": SUMS[2048, 1536], "entries": "4"}
    for query, (_, hits) in QUERIES.items():
        said |= {f"hits.{query}": f"{2 * hits}", f"counts.{query}": f"{hits} {hits}"}
    output += "".join(row_line("said", name=name, text=text) for name, text in said.items())
    for line in re.findall(r"media (.*) \|\|", script):
        records, plays, *_, rate, _, _ = line.split()
        for stream, count in (("record", records), ("play", plays)):
            output += int(count) * row_line("frames", rate=rate, stream=stream, **FRAMES)
            output += int(count) * row_line("flow", stream=stream, **FLOW)
        output += row_line("writeback", rate=rate, **CACHE)
    if name == "kernel.image":
        output += example.output * script.count('"$PROBE" say kernel')
    if name == "memory.application":
        output += example.output * len(re.findall(r'PROBE" memory', script))
    if name == "stream.write":
        output += example.output * 2
    metrics = metrics_of(name, output, parameters, TWICE)
    assert {metric.name for metric in metrics} == {each.name for each in measure.metrics}
    assert all(len(metric.samples) == 2 for metric in metrics if not metric.name.endswith(".frame"))
