# SPDX-License-Identifier: Apache-2.0
"""Runs of schema perfboard.run/1 say today what they said when they were made."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from perfboard.analysis.compare.comparison import compare
from perfboard.report.comparison import comparison_text
from perfboard.report.export.choose import export
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.store.reading import load_run
from tests.support.golden import FOLDER, NAMES, golden, unpack

PAIRS = [path.name.split(".")[1:3] for path in sorted(FOLDER.glob("compare.*"))]


# What a page says otherwise since, on purpose: a pattern of the old page, and the new text.
CHANGES = (
    # That there is no verdict is said where a verdict could be.
    (
        r'<p class="verdict"><strong>No verdict</strong>(: .*)</p>\n(<p class="lead">.*)</p>',
        r"\2 No verdict\1</p>",
    ),
    # What perturbs need be no factor.
    (r"the factor (<code>initcall_debug=on)", r"\1"),
    # A lead is plain text.
    (r'<p class="lead"><code>ls /</code>', '<p class="lead">ls /'),
    # What is of the boots stands with them.
    (
        r"(<section>\n<h2>Provenance</h2>(?:.|\n)*)<h3>(Host time of the boots)</h3>\n(.*\n)",
        r"<section>\n<h2>\2</h2>\n\3</section>\n\1",
    ),
    # Raw samples are at the end of each page that has another section.
    (
        r"<section>\n<h2>Metrics</h2>\n((?:.|\n)*?)\n</section>\n((?:.|\n)*)(</section>)",
        r"\2<h3>Raw samples</h3>\n<details>\n<summary>SAMPLES</summary>\n\1\n</details>\n"
        r'<p class="in-print">Left out in print: SAMPLES. They are in the file on screen, and in '
        r"run.json.</p>\n\3",
    ),
    ("SAMPLES", "19 samples of 19 metrics"),
    # A word.
    ("has other surroundings", "has other hardware"),
)


def changed(page: str) -> str:
    for old, new in CHANGES:
        page = re.sub(old, new, page)
    return page


@pytest.mark.parametrize("name", NAMES)
def test_show_and_report(name: str, tmp_path: Path) -> None:
    run = load_run(unpack(name, tmp_path))
    assert run_text(run) + "\n" == golden(f"{name}.show.txt")
    assert render(run) == changed(golden(f"{name}.html"))


@pytest.mark.parametrize("name", NAMES)
def test_exports(name: str, tmp_path: Path) -> None:
    run = load_run(unpack(name, tmp_path))
    hashes = json.loads(golden("exports.json"))[name]
    found = {name: hashlib.sha256(export(run, name).encode()).hexdigest() for name in hashes}
    assert found == hashes


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_compare(before: str, after: str, tmp_path: Path) -> None:
    first, second = (load_run(unpack(name, tmp_path)) for name in (before, after))
    found = comparison_text(compare(first, second, across_evidence=True))
    assert found == golden(f"compare.{before}.{after}.txt")
