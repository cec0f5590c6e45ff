# SPDX-License-Identifier: Apache-2.0
"""Loads of a page: the plan that the watcher gets, the frozen pages, and which loads count."""

import hashlib
import io
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.host.programs.authority import make_authority
from perfboard.instruments.scope import TlsRow
from perfboard.measures.base import EXACT
from perfboard.measures.display.applications.base import all_applications
from perfboard.measures.display.pages import original_of, pages
from perfboard.model.profile import Value
from tests.support.measures import LIVE, job_of, metrics_of

from .test_applications import lines, task

CART: dict[str, Value] = {"program": "dillo", "page": "cart", "over": "http", "quiet_ms": 700}
BROWSERS = [name for name, each in all_applications().items() if each.bars]


def get(name: str) -> str:
    return f'{{"row":"get","name":"{name}"}}\n'


GETS = "".join(map(get, ("cart.html", *(f"item{n}.png" for n in range(5)))))
PAGE = get("cart.html")
BETWEEN = get("between.html") + task("between")


def loads(first: str = GETS, repeated: str = PAGE) -> str:
    """Nine loads of each kind that count, and one with those GETs."""
    started = [f"{task('open')}{gets}{task('first')}" for gets in [GETS] * 9 + [first]]
    again = [f"{BETWEEN}{gets}{task('repeated', stable_ms=20)}" for gets in [PAGE] * 9 + [repeated]]
    copied = [
        GETS.replace(".html", f".{n:02d}.html").replace(".png", f".{n:02d}.png") for n in range(10)
    ]
    anew = [f"{BETWEEN}{gets}{task('without', stable_ms=25)}" for gets in copied]
    return "".join(started + again + anew)


def times(output: str) -> dict[tuple[str, str], tuple[float, ...]]:
    return {(m.name, m.labels["cache"]): m.samples for m in metrics_of("page.load", output, CART)}


def test_the_pages_are_the_same_everywhere() -> None:
    sizes = {name: len(data) for name, data in pages().items()}
    assert sizes["cart.html"] == 36_454 and sizes["index.html"] == 265_242
    assert sizes["script.html"] == 1_263
    whole = b"".join(data for _, data in sorted(pages().items()))
    assert hashlib.sha256(whole).hexdigest() == PAGES
    with tarfile.open(fileobj=io.BytesIO(job_of("page.load", CART).files["home.tar"])) as archive:
        assert {f"pages/{name}" for name in pages()} <= set(archive.getnames())


PAGES = "78bc0ece22868ed8d4d08780eb7e7f8e84730a0af4d4cbaf312eb0637b7e2afd"


def test_each_load_has_an_address_of_its_own_and_follows_another_page() -> None:
    plan = lines(job_of("page.load", CART))
    assert plan.count("key first ff0d") == 10 and plan.count("key repeated ff0d") == 10
    again = plan[plan.index("reference repeated 3") :]
    addresses = [line.removeprefix("?") for line in again if "address" in line]
    assert len(addresses) == len(set(addresses)) == 2 * (6 + 10 + 10)
    typed = [each.split("?")[0].split()[1] for each in addresses]
    assert typed[:32] == [*("between.html", "cart.html") * 16]
    # Without a cache: a copy for each, whose pictures are others.
    assert typed[32:36] == ["between.html", "cart.00.html", "between.html", "cart.01.html"]
    # Each browser runs alone, whether or not the picture is known by then.
    always = [line for line in plan if line in ("end", "start open dillo about:splash")]
    assert always[5:-1] == ["end", *("start open dillo about:splash", "end") * 10, always[-2]]
    # Addresses and states do not count.
    assert "mask 0 0 1024 76" in plan


@pytest.mark.parametrize("name", ["firefox-esr", "chromium", "netsurf"])
def test_a_browser_that_hears_of_its_page_s_keys_is_given_time(name: str) -> None:
    plan = lines(job_of("page.load", CART | {"program": name}))
    keys = [number for number, line in enumerate(plan) if line.endswith("press ffe3+6c")]
    assert len(keys) == 3 * (6 + 10) + 2 * 10
    for number in keys:
        assert "pause" in plan[number + 1] and "address" in plan[number + 2]


def test_no_browser_is_left_when_the_next_one_starts() -> None:
    plan = lines(job_of("page.load", CART))
    # The watcher leaves out a line with a question mark once the picture is known.
    for begins in (("?start", "start"), ("start",)):
        obeyed = [line for line in plan if begins[0] == "?start" or not line.startswith("?")]
        running = 0
        for line in obeyed:
            running += line.startswith(begins)
            assert running <= 1
            running *= line != "end"


def test_a_virtual_boards_far_end_serves_the_same_pages() -> None:
    work = job_of("page.load", CART, EXACT)
    plan = lines(work)
    assert work.pages == pages(1) and "server http://192.0.2.1" in plan
    assert plan.count("key first ff0d") == plan.count("key repeated ff0d") == 1
    # A slow board has all that was typed before the key that loads the page.
    assert plan[plan.index("key first ff0d") - 6 :][:5] == ["pause 300"] * 5
    # The link comes up before the display does.
    assert work.script.index("carrier") < work.script.index("perfboard-display")
    assert not job_of("page.load", CART).pages


def test_a_board_s_reference_of_firefox_is_of_one_load() -> None:
    parameters = CART | {"program": "firefox-esr"}
    for facts, count in ((EXACT, 1), (LIVE, 3)):
        plan = lines(job_of("page.load", parameters, facts))
        named = {line.removeprefix("?") for line in plan if "reference " in line}
        assert named == {"reference -", f"reference first {count}", f"reference repeated {count}"}


def test_the_samples_are_read_by_what_the_browser_had() -> None:
    assert times(loads()) == {
        ("page.load.time", "first"): (0.03,) * 10,
        ("page.load.time", "repeated"): (0.02,) * 10,
        ("page.load.time", "without"): (0.025,) * 10,
        ("page.load.refused", "first"): (0.0,),
        ("page.load.refused", "repeated"): (0.0,),
        ("page.load.refused", "without"): (0.0,),
    }


@pytest.mark.parametrize("gets", ["", PAGE * 2, GETS, get("between.html")])
def test_a_load_whose_files_the_server_did_not_send_once_does_not_count(gets: str) -> None:
    found = times(loads(repeated=gets))
    assert found["page.load.time", "repeated"] == (0.02,) * 9
    assert found["page.load.refused", "repeated"] == pytest.approx((0.1,))
    # A new browser has no picture yet.
    assert len(times(loads(first=PAGE))["page.load.time", "first"]) == 9


@pytest.mark.parametrize(
    ("gets", "said"),
    [
        (
            PAGE + get("index.html"),
            "the page redirects: the browser went from cart.html on to index",
        ),
        (get("index.html") + PAGE, "the server sent another page: index.html"),
        (get("item0.png"), "the server sent item0.png 1x"),
    ],
)
def test_a_page_that_redirects_and_another_page_are_named(gets: str, said: str) -> None:
    repeated = '{"row":"task","label":"repeated"'
    with pytest.raises(NotMeasurable, match=said):
        metrics_of("page.load", loads().replace(PAGE + repeated, gets + repeated), CART)


def test_the_cart_s_copies_differ_by_the_names_of_their_pictures_alone() -> None:
    found = pages(3)
    assert set(found) - set(pages()) == {
        f"{stem}.{n:02d}.{kind}"
        for n in range(3)
        for stem, kind in [("cart", "html"), *((f"item{i}", "png") for i in range(5))]
    }
    assert {original_of(name) for name in found} == set(pages())
    assert found["item4.02.png"] == found["item4.png"]
    assert found["cart.02.html"].replace(b".02.png", b".png") == found["cart.html"]
    assert found["cart.02.html"].count(b".02.png") == 5


def test_a_page_without_pictures_has_no_other_cache() -> None:
    script = CART | {"program": "firefox-esr", "page": "script"}
    assert not [line for line in lines(job_of("page.load", script)) if "without" in line]
    output = loads(first=GETS).replace(GETS, PAGE).replace("cart.html", "script.html")
    found = {m.labels["cache"] for m in metrics_of("page.load", output, script)}
    assert found == {"first", "repeated"}


def test_over_tls_a_browser_is_given_the_authority_before_it_starts() -> None:
    work = job_of("page.load", CART | {"over": "https"})
    # The watcher serves it, by the certificate that lies next to the plan.
    assert work.secure and not work.pages and "serve home/pages ." in lines(work)
    assert "alone" in work.script
    places = [work.script.index(words) for words in ("home.tar", "$CA.0", "perfboard-display")]
    assert places == sorted(places)
    far = job_of("page.load", CART | {"over": "https"}, EXACT)
    assert far.secure and "server https://192.0.2.1" in lines(far)
    assert far.script.index("$CA.0") < far.script.index("perfboard-display")


@pytest.mark.parametrize("browser", BROWSERS)
def test_each_browser_trusts_the_authority_in_its_private_home(
    browser: str, tmp_path: Path
) -> None:
    work = job_of("page.load", CART | {"over": "https", "program": browser})
    trust = all_applications()[browser].trust
    assert trust and f"{trust.line} || exit 1\n" in work.script
    if not all(map(shutil.which, trust.programs)):
        pytest.skip(f"needs Debian's {' and '.join(trust.packages)}")
    assert set(trust.programs) <= set(work.programs)
    assert set(trust.packages) <= set(work.packages)
    certificate = make_authority(tmp_path, "127.0.0.1").certificate
    assert certificate.name == "ca.crt"
    for name, data in work.files.items():
        (tmp_path / name).write_bytes(data)
    before = {path.name for path in tmp_path.iterdir()}
    script = f"mkdir home && tar -C home -xf home.tar && CA=name && {trust.line}"
    subprocess.run(["sh", "-ec", script], cwd=tmp_path, timeout=60, check=True)
    assert {path.name for path in tmp_path.iterdir()} == before | {"home"}
    home = tmp_path / "home"
    match browser:
        case "dillo":
            assert (home / ".dillo/certs/name.0").read_bytes() == certificate.read_bytes()
        case "netsurf":
            choices = (home / ".config/netsurf/Choices").read_text()
            assert f"ca_bundle:{certificate}\n" in choices and "disc_cache_size:0" in choices
        case "links2":
            starts = [
                line for line in (tmp_path / "plan").read_text().split("\n") if "links2" in line
            ]
            assert starts and all(" env SSL_CERT_FILE=ca.crt links2 -g" in line for line in starts)
        case _:
            (base,) = home.rglob("cert9.db")
            listed = ["certutil", "-L", "-d", f"sql:{base.parent}"]
            shown = subprocess.run(listed, capture_output=True, text=True, timeout=60, check=True)
            assert re.search(r"Perfboard +C,,", shown.stdout)


def test_what_a_browser_wants_prepared_is_so_before_it_starts() -> None:
    work = job_of("page.load", CART | {"program": "netsurf", "over": "https"}, EXACT)
    words = ("home.tar", "mime.cache", "ca_bundle", "perfboard-display")
    places = [work.script.index(each) for each in words]
    assert places == sorted(places)
    assert "mime.cache" not in job_of("page.load", CART, EXACT).script


def test_a_certificate_that_is_not_trusted_is_said() -> None:
    ended = "after its handshake, before it asked for a page (nothing more came)"
    row = TlsRow(why=ended).line()
    output = loads().replace(GETS, row)
    with pytest.raises(NotMeasurable, match=r"sent nothing; .* may not trust the certificate"):
        metrics_of("page.load", output, CART)
    # A browser may open a connection more than it uses.
    assert len(times(loads(first=row + GETS))["page.load.time", "first"]) == 10


def test_many_loads_that_do_not_count_are_no_figure() -> None:
    output = loads().replace(get("item3.png"), "", 2)
    with pytest.raises(NotMeasurable, match=r"8 of 10 .* the server sent cart.html 1x, item0.png"):
        metrics_of("page.load", output, CART)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        (CART | {"program": "sylpheed"}, "'sylpheed'; needs a browser: chromium"),
        (CART | {"page": "news"}, "needs cart, index or script"),
        (CART | {"page": "script"}, "dillo runs no scripts, .* needs chromium or firefox-esr"),
        (CART | {"over": "gopher"}, "needs http or https"),
    ],
)
def test_what_opens_no_page_is_said(parameters: dict[str, Value], said: str) -> None:
    with pytest.raises(NotMeasurable, match=said):
        job_of("page.load", parameters)
