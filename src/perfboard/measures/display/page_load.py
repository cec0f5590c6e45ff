# SPDX-License-Identifier: Apache-2.0
"""page.load: a browser loads a frozen page (set-top box study, 2002).

The watcher serves it, on the target itself (native/display/serve.c); on a virtual board the far end
of its network does (native/far_end/pages.h). A load counts only if the server sent the page once,
and its pictures once or, where the browser has them, not at all.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from perfboard.bench.display.home import ALIKE
from perfboard.bench.display.rows import TaskRow
from perfboard.bench.job import Job, NotMeasurable
from perfboard.images.network import FAR_END, LINK_UP
from perfboard.instruments.scope import GetRow, TlsRow
from perfboard.measures.base import Example, Finding, Parameter, Quantity, Setting
from perfboard.measures.display.app import application_of, sampled_metrics, samples_of
from perfboard.measures.display.applications.base import Application, all_applications
from perfboard.measures.display.pages import copy_of, original_of, pages
from perfboard.measures.display.session import (
    CALIBRATIONS,
    MEMORY,
    QUIET,
    TASK,
    DisplayMeasure,
    accepted,
    display_memory,
    example_memory,
    memory_metrics,
    quiet,
    read_session,
    session,
)
from perfboard.model.rows import read_row
from perfboard.model.run import Metric

_BROWSERS = tuple(name for name, one in all_applications().items() if one.bars)
_PAGES = ("cart", "index", "script")
_SCRIPTED = tuple(name for name in _BROWSERS if all_applications()[name].scripts)
_FOLDER = "pages"
_ENTER = "ff0d"
# A virtual board may be slow to show what is typed. Its time costs little while it idles.
_SLOW = 5
# Dillo and its programs for TLS talk over loopback.
_LINKS = f"ip link set lo up\n{LINK_UP}"
# For the example.
_SENT = '{"row":"get","name":"index.html"}\n'


# The bars that show what is typed do not count, so that no pixel tells when it is there.
def _typed(browser: Application, path: str) -> list[str]:
    return [*browser.location, f"address {path}", "pause 300"]


def _load(browser: Application, page: str, reference: str, label: str, number: int) -> list[str]:
    """The lines that load the page. Its address is new each time, or nothing would be loaded."""
    typed = _typed(browser, f"{page}?n={number}")
    return [*typed, f"reference {reference}", f"key {label} {_ENTER}"]


def _again(browser: Application, page: str, reference: str, label: str, number: int) -> list[str]:
    """A repeated load, after another page: without one no pixel would tell it."""
    between = _typed(browser, f"between.html?n={number}")
    load = _load(browser, page, reference, label, number)
    return ["reference -", *between, f"key between {_ENTER}", *load]


def _loads(
    browser: Application, page: str, count: int, copies: int, pictures: int
) -> Sequence[str]:
    """The lines of all loads: each kind has its own label, and its own reference picture."""
    opens = ["reference -", f"start open {browser.command}"]
    first, repeated = f"first {pictures}", f"repeated {pictures}"
    lines = [f"reference {first}"]
    for number in range(CALIBRATIONS):
        load = _load(browser, page, first, "calibration", number)
        # The last of them is ended too: a sample's browser runs alone.
        lines += [*(f"?{line}" for line in (*opens, *load)), "end"]
    for number in range(count):
        lines += [*opens, *_load(browser, page, first, "first", number), "memory page", "end"]
    lines += [*opens, f"reference {repeated}"]
    for number in range(CALIBRATIONS):
        load = _again(browser, page, repeated, "calibration", number)
        lines += [f"?{line}" for line in load]
    for number in range(CALIBRATIONS, CALIBRATIONS + count):
        lines += _again(browser, page, repeated, "repeated", number)
    for number in range(copies):
        # Its picture is the repeated one's.
        address = CALIBRATIONS + count + number
        lines += _again(browser, copy_of(page, number), repeated, "without", address)
    return [*lines, "end"]


def _asked(setting: Setting) -> tuple[Application, str, str]:
    """The browser, the page, and http or https. Raises NotMeasurable."""
    browser = application_of(setting, "program")
    page, over = setting.text("page"), setting.text("over")
    if browser.name not in _BROWSERS:
        raise NotMeasurable(f"program is {browser.name!r}; needs a browser: {', '.join(_BROWSERS)}")
    if page not in _PAGES:
        raise NotMeasurable(f"page is {page!r}; needs {', '.join(_PAGES[:-1])} or {_PAGES[-1]}")
    if page == "script" and browser.name not in _SCRIPTED:
        raise NotMeasurable(
            f"{browser.name} runs no scripts, and a script makes that page; needs "
            f"{' or '.join(_SCRIPTED)}"
        )
    if over not in ("http", "https"):
        raise NotMeasurable(f"over is {over!r}; needs http or https")
    return browser, page, over


class PageLoad(DisplayMeasure):
    """Loads one page: in a new browser each time, and then again and again in one."""

    name = "page.load"
    labels = MappingProxyType({**DisplayMeasure.labels, "cache": ("first", "repeated", "without")})
    title = "Load of a page"
    parameters = (
        Parameter("program", "dillo", f"one of {', '.join(_BROWSERS)}"),
        Parameter(
            "page",
            "cart",
            "cart: a shop's, of 36 kB with five pictures; index: a mailing list's, of 265 kB; "
            "script: one that a script makes",
        ),
        Parameter("over", "http", "http or https; that with an authority of our own"),
        QUIET,
    )
    metrics = (
        Quantity(
            "page.load.time",
            "s",
            "from the key to the last pixel, by `cache`: first (in a browser "
            "that has just started), repeated (its pictures are in the browser's cache) or "
            "without (the cart is new to a browser that has loaded others)",
        ),
        Quantity("page.load.refused", "1", "samples that did not count, of all, by `cache`"),
        *display_memory("page.memory", "after a first load"),
    )
    examples = (
        Example(
            f"{_SENT}{TASK % ('first', 'ok')}{MEMORY}{_SENT}{TASK % ('repeated', 'ok')}",
            {"page.load.time": 0.03, "page.load.refused": 0, **example_memory("page.memory")},
            {"page": "index"},
        ),
    )

    def job(self, setting: Setting) -> Job:
        browser, page, over = _asked(setting)
        count, far, secure = samples_of(setting), setting.facts.exact, over == "https"
        copies = count if page == "cart" else 0
        served, files = pages(copies), {}
        if far:
            serves = f"server {over}://{FAR_END}"
        else:
            serves = f"serve home/{_FOLDER}{' .' if secure else ''}"
            served, files = {}, {f"{_FOLDER}/{name}": data for name, data in served.items()}
        trust = browser.trust if secure else None
        prepare = f"{trust.line} || exit 1\n" if trust else ""
        masks = [f"mask {' '.join(map(str, bar))}" for bar in browser.bars]
        loads = _loads(browser, f"{page}.html", count, copies, browser.pictures if far else ALIKE)
        if far:
            loads = [each for line in loads for each in [line] * (_SLOW if "pause" in line else 1)]
        job = session([browser], [*masks, quiet(setting), serves, *loads], files, prepare)
        if trust:
            job = replace(
                job,
                programs=(*job.programs, *trust.programs),
                packages=(*job.packages, *trust.packages),
            )
        script = f"{_LINKS if far else ''}{job.script}"
        return replace(job, script=script, pages=served, secure=secure)

    def read(self, output: str, setting: Setting) -> Finding:
        page, count = f"{setting.text('page')}.html", samples_of(setting)
        cart = page == "cart.html"
        pictures = [name for name in pages() if name.endswith(".png") and cart]
        whole = Counter([page, *pictures])
        wanted = {"first": whole, "repeated": Counter([page])}
        if cart:
            wanted["without"] = whole
        found = read_session(_checked(output, wanted))
        metrics = list[Metric]()
        for cache in wanted:
            samples = accepted(found, cache, count)
            metrics += sampled_metrics("page.load", samples, count, {"cache": cache})
        metrics += memory_metrics("page.memory", found)
        return Finding(tuple(metrics))


def _checked(output: str, wanted: Mapping[str, Counter[str]]) -> str:
    """The output, where a load is refused whose files are not those that the server sent for it."""
    lines, sent, ended = [], list[str](), ""
    for line in output.splitlines():
        match read_row(line, GetRow, TlsRow, TaskRow):
            case GetRow(name=name):
                sent.append(original_of(name))
            case TlsRow(why=why):
                ended = f"the browser ended a connection {why}: it may not trust the certificate"
            case TaskRow() as task:
                counts = task.outcome == "ok" and task.label in wanted
                if counts and (why := _why_not(sent, wanted[task.label], ended)):
                    line = task.model_copy(update={"outcome": "refused", "reason": why}).line()
                sent, ended = [], ""
        lines.append(line)
    return "\n".join(lines)


def _why_not(sent: Sequence[str], wanted: Counter[str], ended: str) -> str:
    """Why those files are not the wanted ones, or "". `ended` is what a server of TLS said."""
    if Counter(sent) == wanted:
        return ""
    loaded = [name for name in dict.fromkeys(sent) if not name.endswith(".png")]
    if loaded and loaded[0] not in wanted:
        return f"the server sent another page: {loaded[0]}"
    if len(loaded) > 1:
        return f"the page redirects: the browser went from {loaded[0]} on to {loaded[1]}"
    names = ", ".join(f"{name} {times}x" for name, times in sorted(Counter(sent).items()))
    return f"the server sent {names or 'nothing'}{ended and f'; {ended}'}"


MEASURES = (PageLoad(),)
