# SPDX-License-Identifier: Apache-2.0
"""The dashboard of 2000 runs in a real browser: Debian's Chromium, driven by Playwright."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Literal

import pytest
from dashboard import generate
from playwright.sync_api import Browser, sync_playwright


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the first page."""
    folder = tmp_path_factory.mktemp("site")
    generate(folder / "data/perfboard/runs")
    homes = {"XDG_DATA_HOME": str(folder / "data"), "XDG_CACHE_HOME": str(folder / "cache")}
    command = [sys.executable, "-m", "perfboard.cli.main", "dashboard", str(folder / "site")]
    subprocess.run(command, env={**os.environ, **homes}, check=True, timeout=120)
    return (folder / "site/index.html").as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # As root there is no sandbox; the pages are ours.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        opened = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        yield opened
        opened.close()


def _outside(url: str) -> list[str]:
    return [] if url.startswith("file:") else [url]


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_read_at_any_width_in_light_and_dark(
    browser: Browser, index: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: problems.extend(_outside(request.url)))
    for _ in range(2):
        page.goto(index) if page.url == "about:blank" else page.click("h3 a >> nth=0")
        # Nothing is cut off: wide tables scroll in boxes of their own.
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        light = page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3)"
            ".reduce((sum, part) => sum + Number(part), 0)"
        )
        assert (light > 3 * 128) == (scheme == "light")
        assert page.locator("svg").count() > 0
    assert not problems
    page.close()


def test_a_keyboard_leads_from_the_first_page_to_a_kind_and_back(
    browser: Browser, index: str
) -> None:
    page = browser.new_page()
    page.goto(index)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('h3 a')"):
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"
    page.keyboard.press("Enter")
    page.wait_for_url("**/kind-*.html")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/index.html")
    page.close()
