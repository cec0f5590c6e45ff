# SPDX-License-Identifier: Apache-2.0
"""Every link of the pages leads somewhere, and every path that they name is there."""

import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_PAGES = [*_ROOT.glob("*.md"), *(_ROOT / "docs").rglob("*.md")]


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_links_and_paths(page: Path) -> None:
    text = page.read_text()
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
    for path in re.findall(r"`((?:src|native|tests|docs|benchmarks|LICENSES)/[^`*]*)`", text):
        # NAME stands for the name of a new file.
        assert any(_ROOT.glob(path.rstrip("/").replace("NAME", "*"))), path
