# SPDX-License-Identifier: Apache-2.0
"""The export formats. Imports nothing, so that `perfboard --help` is fast."""

FORMATS = {
    "csv": "one row for each sample",
    "json": "the content of run.json",
    "perfetto": "a trace of the boots for the Perfetto UI",
    "googlebenchmark": "JSON as the Google Benchmark library writes it",
    "bencher": "Bencher's metric format, BMF",
    "vcd": "the first boot's marks as a logic analyser's capture",
    "openmetrics": "text for Prometheus and other OpenMetrics readers",
    "markdown": "a summary for a merge request",
    "guide-markdown": "a performance guide as a document in Markdown",
    "guide-rst": "a performance guide as a document in reStructuredText",
    "guide-csv": "a performance guide, one row for each figure",
    "lava": "test cases for LAVA, as lines of a job's output",
    "kcidb": "a report to KCIDB, the kernel's report database (schema 5.3)",
}
# Those that only a run of a guide has.
OF_GUIDES = ("guide-markdown", "guide-rst", "guide-csv")
