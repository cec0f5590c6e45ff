# SPDX-License-Identifier: Apache-2.0
"""The page has all figures of a row's measure, and the frames of a stream in bins."""

import re
from dataclasses import replace
from pathlib import Path

from perfboard.model.results.profile import ProfileResult
from perfboard.model.rows import row_line
from perfboard.report.html import render
from perfboard.report.text import run_text
from tests.support.lab import RESULTS, FakeLab
from tests.support.profile_runs import RECORDING, run
from tests.unit.measures.disk.test_encryption import ENCRYPTED


def test_the_report_has_the_frames_in_bins_of_10_ms(path: Path, tmp_path: Path) -> None:
    path.write_text(RECORDING)
    fake = FakeLab(tmp_path)
    times = [4000] * 147 + [12_000, 39_999, 40_000]
    figures = {"stream": "record", "took_us": times, "since_due_us": times}
    output = row_line("frames", rate=30, **figures)
    output += row_line("flow", stream="record", frames=150, called_us=9, done_us=9000)
    fake.ends = lambda job, cancelled: replace(RESULTS, stdout=output.encode())
    found = run(fake, path)
    text = " ".join(run_text(found).split())
    shares = "50 % within 4.000 ms, 90 % within 4.000 ms, 99 % within 40.00 ms, "
    shares += "99.9 % within 40.00 ms, the longest 40.00 ms"
    bins = "147 in 0 to 10 ms, 1 in 10 to 20 ms, 1 in 30 to 40 ms, 1 in 40 to 50 ms."
    assert f"media.record, stream record: 150 frames, {shares}; {bins}" in text
    page = render(found)
    assert "How long each frame took" in page and "30 to 40 ms" in page


def test_the_page_has_all_figures_of_a_rows_measure(path: Path, tmp_path: Path) -> None:
    path.write_text(RECORDING)
    fake = FakeLab(tmp_path)
    figures = {"took_us": [4000] * 149 + [12_000], "since_due_us": [4000] * 150}
    output = row_line("frames", rate=30, stream="record", **figures)
    output += row_line("flow", stream="record", frames=150, called_us=9, done_us=5_000_000)
    output += row_line("writeback", rate=30, dirty_bytes=9000, under_way_bytes=1, wrote_bytes=5)
    fake.ends = lambda job, cancelled: replace(RESULTS, stdout=output.encode())
    found = run(fake, path)
    (result,) = found.results_of(ProfileResult)
    (record,) = result.rows
    assert {each.name for each in record.figures} == {metric.name for metric in found.metrics}
    page = " ".join(re.sub(r"<[^>]*>", " ", render(found)).split())
    for said in (
        "media.record.rate, stream record 30.00 /s",
        "media.record.frame, stream record 4.000 ms (4.000 ms to 12.00 ms)",
        "media.record.dirty 8.789 KiB",
    ):
        assert said in page


def test_a_row_of_one_way_says_why_the_target_lacks_that(path: Path, tmp_path: Path) -> None:
    row = 'name = "record"\nquestion = "Is it written?"\nmeasure = "disk.encryption"\n'
    row += 'metric = "disk.encryption.write.bandwidth"\nlabels = { way = "adiantum" }\n'
    path.write_text(RECORDING.partition('name = "record"')[0] + row + 'budget = ">= 1 MB/s"\n')
    fake = FakeLab(tmp_path)
    fake.ends = lambda job, cancelled: replace(RESULTS, stdout=ENCRYPTED.encode())
    (judged,) = run(fake, path).results_of(ProfileResult)[0].rows
    assert judged.outcome == "not measured"
    assert "no figure of way=adiantum" in judged.reason
    assert "the kernel has no dm-crypt by it: Invalid argument" in judged.reason
