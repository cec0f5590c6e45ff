# SPDX-License-Identifier: Apache-2.0
"""The formats that a run is exported in. Imports nothing, so that the command starts at once."""

FORMATS = {
    "csv": "a row a sample",
    "json": "the content of run.json",
    "perfetto": "a trace of the boots for the Perfetto UI",
    "googlebenchmark": "JSON as the Google Benchmark library writes it",
    "bencher": "Bencher's metric format, BMF",
    "openmetrics": "text for Prometheus and what else reads OpenMetrics",
}
