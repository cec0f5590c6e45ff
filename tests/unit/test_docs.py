# SPDX-License-Identifier: Apache-2.0
"""Every link of the pages leads somewhere, and each list that they keep is that of the sources."""

import ast
import re
import tomllib
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import perfboard.model.results
from perfboard.measures.catalogue import all_measures
from perfboard.model.budget import UNITS
from perfboard.model.profile import Profile
from perfboard.model.run import Evidence
from perfboard.profiles.loader import list_profiles
from perfboard.report.export.formats import FORMATS
from perfboard.studies.sets import items_named, set_items
from tests.support.command import call

_ROOT = Path(__file__).parents[2]
_PAGES = [*_ROOT.glob("*.md"), *(_ROOT / "docs").rglob("*.md")]
# Where a path without a room may begin.
_ROOMS = ("", "src/perfboard", "native", "native/scope")
_PATH = r"`((?:[\w.*-]+/)+[\w.*-]+\.(?:py|c|def|toml))`"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def table(page: str, head: str) -> list[tuple[str, ...]]:
    """The rows below the table's head, each the words of its cells."""
    text = (_ROOT / page).read_text()
    lines = text[text.index(f"\n| {head} |") + 1 :].split("\n\n", 1)[0].splitlines()
    return [tuple(cell.strip(" `") for cell in line.strip("|").split("|")) for line in lines[2:]]


def names(page: str, head: str) -> list[str]:
    return [cells[0] for cells in table(page, head)]


def folders(path: str) -> set[str]:
    found = (each for each in (_ROOT / path).iterdir() if each.is_dir())
    return {each.name for each in found if any(each.glob("*.*")) and each.name[0] not in "._"}


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


def test_the_index_has_each_page() -> None:
    index = _ROOT / "docs/index.md"
    linked = re.findall(r"\]\(([^)#]+)", index.read_text())
    listed = {(index.parent / link).resolve() for link in linked}
    pages = {page for page in _PAGES if "notes" not in page.parts and "docs" in page.parts}
    assert pages - {index} <= listed


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page_is_whole(page: Path) -> None:
    for language, code in re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(), re.M | re.S):
        if language == "python":
            ast.parse(code)
        elif language == "toml":
            tomllib.loads(code)
        elif language == "yaml":
            # A key has its mapping on lines of its own.
            assert not re.search(r"^ *[\w ]+: [\w ]+: ", code, re.M)


def test_the_files_of_contributing_are_there() -> None:
    for path in re.findall(_PATH, (_ROOT / "CONTRIBUTING.md").read_text()):
        pattern = path.replace("NAME", "*")
        assert any(any((_ROOT / room).glob(pattern)) for room in _ROOMS), path


def test_contributing_has_each_room_and_no_other() -> None:
    rooms = names("CONTRIBUTING.md", "room of `src/perfboard` | what is in it")
    assert sorted(rooms) == sorted({*folders("src/perfboard"), "testing"})
    rooms = names("CONTRIBUTING.md", "room of `native` | what is in it")
    assert sorted(rooms) == sorted(folders("native"))


def test_the_page_of_runs_has_each_kind_of_result() -> None:
    package = perfboard.model.results
    modules = (
        import_module(f"{package.__name__}.{m.name}") for m in iter_modules(package.__path__)
    )
    results = [module.RESULT for module in modules if hasattr(module, "RESULT")]
    kinds = {result.model_fields["kind"].default for result in results}
    assert sorted(names("docs/runs/runs.md", "kind | content")) == sorted(kinds)


def test_the_page_of_runs_has_each_format() -> None:
    assert sorted(names("docs/runs/runs.md", "FORMAT | content")) == sorted(FORMATS)


def test_the_page_of_trust_has_each_evidence() -> None:
    assert names("docs/start/trust.md", "evidence | means") == [str(each) for each in Evidence]


def measures_by_page() -> dict[str, list[str]]:
    """The measures of the catalogue by the page that has more of them."""
    rows = table("docs/measures.md", "page | its measures")
    return {re.sub(r".*\((.*)\)", r"docs/\1", page): own.split("` `") for page, own in rows}


def test_the_page_of_measures_has_the_catalogue() -> None:
    listed = [name for own in measures_by_page().values() for name in own]
    assert sorted(listed) == sorted(all_measures())


@pytest.mark.parametrize(
    ("page", "head"),
    [
        ("docs/studies/device-measures.md", "measure | how"),
        ("docs/studies/applications.md", "measure | how"),
        ("docs/studies/bringup.md", "measure | what it does"),
    ],
)
def test_a_page_has_the_measures_that_lead_to_it(page: str, head: str) -> None:
    assert {*measures_by_page()[page]} <= {*names(page, head)} <= {*all_measures()}


def test_the_page_of_the_bring_up_has_its_set() -> None:
    own = {item.measure.name for item in set_items("bringup")}
    assert set(names("docs/studies/bringup.md", "measure | what it does")) == own


def test_the_page_of_measures_has_each_set_and_the_pages_each_profile() -> None:
    sets = set(names("docs/measures.md", "set | what it is"))
    text = (_ROOT / "docs/studies/profiles.md").read_text()
    shipped = set(re.findall(r"^- `([a-z-]+)`: ", text, re.MULTILINE))
    assert sets | shipped == set(list_profiles()) and not sets & shipped


@pytest.mark.parametrize(
    ("page", "budgets"), [("docs/measures.md", False), ("docs/studies/profiles.md", True)]
)
def test_the_file_of_a_page_is_a_profile(page: str, budgets: bool, tmp_path: Path) -> None:
    (written,) = re.findall(r"```toml\n(.*?)```", (_ROOT / page).read_text(), re.DOTALL)
    profile = Profile.model_validate(tomllib.loads(written))
    known = all_measures()
    for row in profile.key_issue:
        assert bool(row.budget) == budgets
        assert not row.metric or known[row.measure].quantity(row.metric), row.metric
    if not budgets:
        file = tmp_path / "ours.toml"
        file.write_text(written)
        found = items_named([str(file)], {})
        assert [each.measure.name for each in found] == [row.measure for row in profile.key_issue]


def test_the_page_of_profiles_has_each_unit() -> None:
    text = (_ROOT / "docs/studies/profiles.md").read_text()
    listed = re.search(r"a number and a unit: (.+?), or none for a count", text, re.DOTALL)
    assert listed is not None
    assert set(re.split(r",\s+", listed[1])) == set(UNITS) - {"1"}


def test_the_probe_says_how_each_of_its_commands_is_called() -> None:
    source = (_ROOT / "native/probe/main.c").read_text()
    head, _, rest = source.partition("*/")
    _, _, manual = rest.partition("/*")
    manual = manual.partition("*/")[0] + head
    called = set(re.findall(r"perfboard-probe ([a-z-]+)", manual))
    known = set(re.findall(r'!strcmp\(argv\[1\], "([a-z-]+)"\)', source)) - {"nothing"}
    assert called == known


def test_an_answer_of_a_page_is_what_the_program_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("measures", "memory.latency") == 0
    printed = capsys.readouterr().out
    indented = re.sub(r"^(?=.)", "    ", printed, flags=re.MULTILINE)
    assert indented in (_ROOT / "docs/measures.md").read_text()


def test_the_first_page_begins_with_what_an_import_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (_ROOT / "README.md").read_text()
    (log,) = re.findall(r"\[saved log\]\((.*)\)", text)
    assert call("import", str(_ROOT / log)) == 0
    printed = capsys.readouterr().out
    begins, _, rest = text.partition("\n    ")[2].partition("\n\nThis is")[0].partition("\n\n")
    for part in (begins, rest):
        assert re.sub("^    ", "", part, flags=re.MULTILINE) in printed
