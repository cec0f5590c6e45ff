# SPDX-License-Identifier: Apache-2.0
"""Texts of programs that Perfboard does not read, by their words, and what to store instead."""

import re

_JSON = "store its JSON: "
_BOARD = "it shows no boot; `perfboard measures` lists what Perfboard itself measures of that kind"
# The words near a text's beginning, the name of what has them, and the next step.
_PROGRAMS = tuple(
    (re.compile(words, re.MULTILINE), what, cure)
    for words, what, cure in (
        (rb"^\[ *ID\] +Interval +Transfer", "the text of iperf", f"{_JSON}iperf3 -J"),
        (
            rb"<(?:title|h[12])>[^<]{0,80}(?:Unix ?Bench|Benchmark of )",
            "UnixBench's HTML report",
            "store the text that it wrote in the same folder",
        ),
        (
            rb"(?i)\Ax-axis,\d|^second,volt|\AX,CH ?\d|^(?:time|source),ch(?:annel)? ?[A-D\d]"
            rb"|^Record Length,",
            "an oscilloscope's CSV of analogue voltages",
            "import a logic analyser's capture (VCD, srzip, Saleae's CSV), or a power meter's CSV "
            "with a heading such as time (s),current (A)",
        ),
        (
            rb"^ *(?:read|write|trim): IOPS=\d",
            "the text of fio",
            f"{_JSON}fio --output-format=json",
        ),
        (
            rb"^ *Time \(mean \S{1,3} \S{1,3}\): ",
            "the text of hyperfine",
            f"{_JSON}hyperfine --export-json FILE",
        ),
        (
            rb"^Benchmark +Time +CPU +Iterations",
            "the text of Google Benchmark",
            f"{_JSON}--benchmark_format=json",
        ),
        (
            rb"^\d{1,18}(?:\.\d{1,9})?,(?:msec|ns)?,[\w:-]{2,60},\d{1,15},\d{1,3}\.\d\d,",
            "the CSV of perf stat",
            "store its text, as perf stat -o FILE writes it",
        ),
        (
            rb"^Version +[12]\.\d\d\w? +-+Sequential Output-+",
            "the table of bonnie++",
            "store its CSV, which is its last line, or all of bonnie++ -q",
        ),
        (
            rb"^__(?:CURSOR|REALTIME_TIMESTAMP)=|^\w{3} \d{4}-\d\d-\d\d [\d:.]{8,15} \S{1,9} \[s=",
            "the journal in its form export or verbose",
            "store it by journalctl -b -o json",
        ),
        (rb"^# /dev/cpu_dma_latency|^T: {0,3}\d+ \( *\d+\) P:", "the text of cyclictest", _BOARD),
        (rb"^Doing \S{2,30} for \d+s on \d+ size blocks", "the text of openssl speed", _BOARD),
        (rb"^(?:\d+\+\d records (?:in|out)|\d+ bytes .{0,60} copied, )", "the text of dd", _BOARD),
        (rb"^ Timing (?:cached|buffered disk) reads:", "the text of hdparm", _BOARD),
        (rb"^ *glmark2 \d{4}", "the text of glmark2", _BOARD),
        (rb"^sysbench \d", "the text of sysbench", _BOARD),
        (rb"^stress-ng: \w", "the text of stress-ng", _BOARD),
        (rb"^CoreMark Size +:", "the text of CoreMark", _BOARD),
        (rb"^STREAM version \$Revision", "the text of STREAM", _BOARD),
    )
)
_SAMPLE = 1 << 16


def program_of(head: bytes) -> str | None:
    """The program that wrote a text, and what to do, in words; None if that is not known."""
    sample = head[:_SAMPLE]
    found = (f"it is {what}: {cure}" for form, what, cure in _PROGRAMS if form.search(sample))
    return next(found, None)
