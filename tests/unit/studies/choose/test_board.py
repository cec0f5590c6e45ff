# SPDX-License-Identifier: Apache-2.0
"""The profile study on a board and a target in memory: what it records."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from perfboard.bench.request import Request
from perfboard.host.programs.authority import Authority
from perfboard.images.program.base import ProgramJob
from perfboard.images.program.codecs import BuiltCodec
from perfboard.measures.reading import example_time
from perfboard.model.blocks import FilmBlock
from perfboard.model.errors import UsageError
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Evidence, Status
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.studies.choose.board import BoardStudy
from perfboard.studies.choose.options import ChooseOptions
from perfboard.studies.choose.prices import parse_prices
from perfboard.targets.virtual.program import ProgramResults
from tests.support.lab import RESULTS, TRIED, FakeLab
from tests.support.profile_runs import (
    PAGE,
    PROFILE,
    SCALED,
    START,
    WorkShell,
    ends,
    run,
    run_live,
)
from tests.support.runs import only


def test_each_row_has_a_verdict_or_the_reason_for_none(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = ends
    found = run(fake, path)
    assert found.status is Status.COMPLETE, found.errors
    assert found.evidence is Evidence.TIMED
    (result,) = found.results_of(ProfileResult)
    picture, sound = result.rows
    assert (picture.outcome, sound.outcome) == ("pass", "not measured")
    assert picture.limit.startswith("the processor")
    assert "its script ended with 3" in sound.reason
    assert result.outcome == "pass" and [v.metric for v in found.verdicts] == ["picture"]
    assert {m.name for m in found.metrics} == {"image.scale.time", "image.scale.busy"}
    assert fake.jobs[0].packages == ("libjpeg-turbo-progs",)
    text = run_text(found)
    assert "rpi2 is right for this device" in text and max(map(len, text.splitlines())) <= 80
    assert "A box of pictures" in render(found)


def test_what_others_published_stands_beside_and_judges_nothing(path: Path, tmp_path: Path) -> None:
    beside = 'budget = "<= 3 s"\npublished = { figure = "%s", of = "<b>a picture\\u001b</b>" }'
    study = '[published]\nsource = "study Z (1999)"\nboard = "a 486"\n[[key_issue]]'
    text = PROFILE.replace("[[key_issue]]", study, 1)
    for figure in ("7 us", "4 min"):
        path.write_text(text.replace('budget = "<= 3 s"', beside % figure))
        fake = FakeLab(tmp_path)
        fake.ends = ends
        found = run(fake, path)
        (result,) = found.results_of(ProfileResult)
        assert [row.outcome for row in result.rows] == ["pass", "not measured"]
        assert result.rows[0].published and result.rows[0].published.text == figure
        said = run_text(found)
        assert "Compared with study Z (1999), on a 486:" in said and "\x1b" not in said
        rows = [line.split() for line in said.splitlines() if figure in line]
        assert [row[0] for row in rows] == ["picture", "sound"] and "not measured" in said
        page = render(found)
        assert "Compared with study Z (1999), on a 486" in page and "<b>a picture" not in page


def test_what_a_display_showed_is_in_the_run_and_on_the_page(path: Path, tmp_path: Path) -> None:
    # Eight pixels of white.
    head = '{"row":"picture","film":"start","moment":"%s","time_ns":12000000'
    size = ',"width":4,"height":2,"runs":"CP//"}\n'
    strip = "".join(head % moment + size for moment in ("first", "stable"))
    task = '{"row":"task","label":"%s","outcome":"%s","hash":"%s"}\n'
    ends = [("other", "ok", "0a"), ("start", "calibration", "0b"), ("start", "ok", "0c")]
    strip += "".join(task % each for each in (*ends, ("start", "ok", "0d")))
    path.write_text(START)
    found = run_live(WorkShell(strip, free_kb=99_000), path, tmp_path)
    (result,) = found.results_of(ProfileResult)
    (measurement,) = only(found, MeasuresResult).measurements
    (film,) = measurement.blocks
    assert isinstance(film, FilmBlock)
    assert (measurement.measure, film.title, film.hash) == (
        "app.start",
        "app.start: start, dillo",
        "0c",
    )
    # They are there although the measure found too few samples.
    assert result.rows[0].outcome == "not measured"
    assert [picture.moment for picture in film.pictures] == ["first", "stable"]
    page = render(found)
    assert page.count('src="data:image/png;base64,iVBOR') == 2 and "first, 12.00 ms" in page
    assert "<code>0c</code>" in page


def test_a_part_without_i686_gets_codecs_that_are_built_for_it(path: Path, tmp_path: Path) -> None:
    fake, built = FakeLab(tmp_path), []

    def build(name: str, processor: str, progress: object) -> BuiltCodec:
        built.append((name, processor))
        (program := tmp_path / "djpeg").write_bytes(b"djpeg")
        return BuiltCodec({"djpeg": program}, f"{name} was built")

    fake.ends = lambda job, cancelled: replace(RESULTS, stdout=SCALED)
    lab = fake.lab(codec=build)
    for board in ("converter", "settop-web", "rpi2", "rpi-zero"):
        request = Request(f"virtual:{board}", {}, ("perfboard",))
        options = ChooseOptions(profile=str(path), only=("picture",))
        found = BoardStudy().run(request, options, lab)
        assert ("libjpeg-turbo was built" in found.provenance.notes) == (
            not board.startswith("rpi")
        )
    assert built == [("libjpeg-turbo", "i486"), ("libjpeg-turbo", "pentium")]
    assert [job.packages for job in fake.jobs] == [(), (), *[("libjpeg-turbo-progs",)] * 2]
    has = [any(f.name == "djpeg" for f in job.files) for job in fake.jobs]
    assert has == [True, True, False, False]


def test_pages_are_served_where_a_board_has_a_network_of_ours(path: Path, tmp_path: Path) -> None:
    path.write_text(PAGE)
    fake = FakeLab(tmp_path)
    served: list[str] = []

    def load(job: ProgramJob, cancelled: Event) -> ProgramResults:
        assert job.pages and job.screen
        served.extend(sorted(file.name for file in job.pages.iterdir())[:3])
        return replace(RESULTS, exit_code=3)

    fake.ends = load
    for board, factors, why in (
        ("rpi2", {}, "ended with 3"),
        ("rpi2", {"network": "instant"}, "has no network card of ours"),
        ("teres", {}, "has no Ethernet: its network is Wi-Fi"),
    ):
        request = Request(f"virtual:{board}", factors, ("perfboard",))
        found = BoardStudy().run(request, ChooseOptions(profile=str(path)), fake.lab())
        assert why in found.results_of(ProfileResult)[0].rows[0].reason
    (variant,) = fake.variants
    # The board file has the emulator's card.
    assert variant.levels["network"] == "parallel" and served == [
        "between.html",
        "cart.00.html",
        "cart.html",
    ]


def test_a_board_with_little_memory_reads_little_of_its_disk_at_once(
    path: Path, tmp_path: Path
) -> None:
    path.write_text(PAGE)
    fake = FakeLab(tmp_path)
    begins: list[str] = []
    homes: list[bool] = []

    def load(job: ProgramJob, cancelled: Event) -> ProgramResults:
        begins.extend(f.read_text().splitlines()[0] for f in job.files if f.name == "work.sh")
        (home,) = (f for f in job.files if f.stem == "home")
        # What it only reads does not lie in the board's memory there.
        homes.append((home / ".dillo" / "dillorc").is_file())
        return replace(RESULTS, exit_code=3)

    fake.ends = load
    fake.tried = TRIED.replace('"ns":9', '"counters":{"cmov_ran":1200,"nop_ran":34},"ns":9')
    said = []
    for board in ("settop-web", "rpi2"):
        request = Request(f"virtual:{board}", {}, ("perfboard",))
        found = BoardStudy().run(request, ChooseOptions(profile=str(path)), fake.lab())
        said.append(
            any("from the disk by 8 KiB at once" in note for note in found.provenance.notes)
        )
        lacked = "page.load: instructions that the part lacks ran 1,234 times: 1,200 of CMOV"
        assert any(lacked in note for note in found.provenance.notes) == said[-1]
    assert said == [True, False]
    little = "echo 8 > /sys/block/pbd/queue/read_ahead_kb"
    assert [begin == little for begin in begins] == said == homes


def test_pages_over_tls_come_with_their_authority(path: Path, tmp_path: Path) -> None:
    path.write_text(f'{PAGE}parameters = {{ over = "https" }}\n')
    fake = FakeLab(tmp_path)
    seen: list[str] = []
    (folder := tmp_path / "authority").mkdir()
    (folder / "ca.crt").write_text("a certificate")
    kept = Authority(folder / "ca.crt", "12345678", folder / "server.crt", folder / "server.key")

    def load(job: ProgramJob, cancelled: Event) -> ProgramResults:
        assert job.authority == folder
        seen.extend(f.read_text().splitlines()[0] for f in job.files if f.name in TLS_FILES)
        return replace(RESULTS, exit_code=3)

    fake.ends = load
    scopes: list[tuple[object, ...]] = []

    def scope(network: object, progress: object, *more: object) -> Path:
        scopes.append(more)
        return tmp_path / "scope.so"

    lab = fake.lab(
        kept_authority=lambda address, progress: kept if address == "192.0.2.1" else None,
        scope=scope,
    )
    request = Request("virtual:rpi2", {}, ("perfboard",))
    found = BoardStudy().run(request, ChooseOptions(profile=str(path)), lab)
    assert "ended with 3" in found.results_of(ProfileResult)[0].rows[0].reason
    assert sorted(seen) == ["CA=12345678", "a certificate"] and scopes[-1] == (True,)


TLS_FILES = ("work.sh", "ca.crt")


def test_only_one_row_is_measured_when_it_is_asked_for(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = ends
    (result,) = run(fake, path, only=("picture",)).results_of(ProfileResult)
    assert [row.name for row in result.rows if row.asked] == ["picture"] and len(fake.jobs) == 1
    with pytest.raises(UsageError, match='no row "pictur"; did you mean "picture"'):
        run(fake, path, only=("pictur",))


@pytest.mark.parametrize(
    ("budget", "seconds", "said"),
    [
        ("<= 3 s", 1, "1.000 s, and the budget is at most 3 s: 67% to spare"),
        ("<=3 s", 0.003, "3.000 ms, and the budget is at most 3 s: 1/1,000 of that"),
        ("<= 2 min", 360, "6 min, and the budget is at most 2 min: 3 times that"),
        (">= 1 s", 5, "5.000 s, and the budget is at least 1 s: 5 times that"),
    ],
)
def test_a_manager_reads_how_far_it_is(
    path: Path, tmp_path: Path, budget: str, seconds: float, said: str
) -> None:
    path.write_text(PROFILE.replace("<= 3 s", budget, 1))
    fake = FakeLab(tmp_path)
    line = example_time("scale", round(seconds * 1e9), 990_000)
    fake.ends = partial(_ends_with, line.encode())
    assert said in " ".join(run_text(run(fake, path, only=("picture",))).split())


def _ends_with(output: bytes, job: ProgramJob, cancelled: Event) -> ProgramResults:
    return replace(RESULTS, stdout=output)


@pytest.mark.parametrize("text", ["rpi2", "rpi2=", "=3", "rpi2=-3", "rpi2=nan"])
def test_a_price_is_a_number(text: str) -> None:
    with pytest.raises(ValueError, match="is not BOARD=PRICE"):
        parse_prices([text])
