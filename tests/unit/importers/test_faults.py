# SPDX-License-Identifier: Apache-2.0
"""Files that were made to break the import: a run of what they have, or one sentence on why not."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from perfboard.importers.base import ImportOptions, SavedFile
from perfboard.importers.choose import importers
from perfboard.model.results.boot import BootResult
from perfboard.model.results.power import PowerResult
from perfboard.model.run import Run
from perfboard.store.folder import find_run
from tests.support.captures import sigrok, vcd
from tests.support.command import call, imported
from tests.support.import_cases import FOLDER
from tests.support.recorded import DATA

LOG = DATA / "import" / "tio-camera.log"
BLAME = "          6.728s heron-radio.service\n           421ms heron-splash.service\n"
CHAIN = (FOLDER / "chain-without-total" / "input.txt").read_text()
CALLS = (
    "# tracer: nop\n#\n"
    "       swapper/0-1     [000] .....     0.100000: initcall_start: func=heron_init+0x0/0x10\n"
    "       swapper/0-1     [000] .....     0.200000: initcall_finish: func=heron_init+0x0/0x10 "
    "ret=0\n"
)


def spans(run: Run) -> dict[str, tuple[int | None, int]]:
    (result,) = run.results_of(BootResult)
    (boot,) = result.boots
    return {span.name: (span.start_ns, span.duration_ns) for span in boot.spans}


@pytest.mark.parametrize(
    ("text", "name", "duration_ns"),
    [
        (BLAME, "heron-radio.service", 6_728_000_000),
        (CHAIN, "heron-radio.service", 6_728_000_000),
        (CALLS, "heron_init", 100_000_000),
    ],
)
def test_a_file_without_a_mark_is_a_run_of_its_spans(
    homes: Path, tmp_path: Path, text: str, name: str, duration_ns: int
) -> None:
    path = tmp_path / "given.txt"
    path.write_text(text)
    run = imported(str(path))
    assert spans(run)[name][1] == duration_ns
    assert not [metric for metric in run.metrics if metric.name.startswith("boot.")]


def test_a_file_without_a_mark_adds_its_spans_to_a_log(homes: Path, tmp_path: Path) -> None:
    blame, chain = tmp_path / "blame.txt", tmp_path / "chain.txt"
    blame.write_text(BLAME)
    chain.write_text(CHAIN)
    found = spans(imported(str(LOG), str(blame), str(chain)))
    assert found["heron-splash.service"] == (None, 421_000_000)
    both = spans(imported(str(blame), str(chain)))
    assert set(both) == {"heron-radio.service", "heron-splash.service"}
    run = imported(str(LOG))
    assert spans(imported(str(blame), "--into", run.id)) == spans(run) | spans(imported(str(blame)))


def table(seconds: list[float], amperes: float = 0.2, volts: float = 5.0) -> str:
    half = len(seconds) // 2
    rows = [f"{at!r},{volts!r},{amperes if n >= half else 0!r}" for n, at in enumerate(seconds)]
    return "\n".join(["time (s),voltage (V),current (A)", *rows, ""])


STEPS = [at / 1000 for at in range(20)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (table([at * 1e303 for at in STEPS]), "sample 2 is 1e+300 s after the first"),
        (table([at * 1e13 for at in STEPS]), "sample 2 is 1e+10 s after the first"),
        (table(STEPS, amperes=1e200), "sample 11 is of 1e+200 A, which no meter shows"),
        (table(STEPS, volts=1e200), "sample 1 is of 1e+200 V, which no meter shows"),
        (table([*STEPS, float("inf")]), "one that is no number"),
        ("sbc-bench v0.9 x (y)\nCpufreq OPP: 1000    Measured: ./././1.2.3/9.9\n", "no figures"),
    ],
)
def test_figures_beyond_all_bounds_are_refused(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    path = tmp_path / "given.csv"
    path.write_text(text)
    assert call("import", str(path)) == 2
    error = capsys.readouterr().err
    assert said in error and "given.csv" in error and "Warning" not in error


@pytest.mark.parametrize("unit_s", [1.0, 1e-3, 1e-6, 1e-9])
def test_an_epochs_unit_is_known_by_its_size(homes: Path, tmp_path: Path, unit_s: float) -> None:
    path = tmp_path / "meter.csv"
    rows = [f"{round((1_700_000_000 + at) / unit_s)},{0.2 if at > 9 else 0}" for at in range(20)]
    path.write_text("\n".join(["timestamp,current (A)", *rows, ""]))
    (power,) = imported(str(path), "--volts", "5").results_of(PowerResult)
    assert power.period_s == pytest.approx(1.0)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_damaged_session_says_that_its_archive_is(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], method: int
) -> None:
    out = io.BytesIO()
    whole = io.BytesIO(sigrok({"D0": [1000, 5000]}, 1000, 400))
    with zipfile.ZipFile(whole) as archive, zipfile.ZipFile(out, "w", method) as made:
        for name in archive.namelist():
            made.writestr(name, archive.read(name))
    data = bytearray(out.getvalue())
    at = data.index(b"metadata") + len("metadata")
    path = tmp_path / "bad.sr"
    # Before that stands how large a dictionary is, which may be larger.
    for place in range(at + 9, at + 40):
        damaged = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
        path.write_bytes(damaged)
        assert call("import", str(path), "--channel", "D0=kernel.entry") == 2, place - at
        assert "bad.sr: its archive is damaged: " in capsys.readouterr().err
    # Without a channel's name nobody is sent to another kind of file.
    assert call("import", str(path)) == 2
    assert "bad.sr: its archive is damaged: " in capsys.readouterr().err


def test_a_cut_off_joulescopes_file_is_one_sentence(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyjls")
    path = tmp_path / "cut.jls"
    path.write_bytes(b"jlsfmt\r\n \n \x1a  \xb2\x1c" + bytes(200))
    assert call("import", str(path)) == 2
    error = capsys.readouterr().err
    assert "it is damaged or cut off" in error and "Traceback" not in error
    assert len(error) < 200


def test_a_second_file_of_one_name_keeps_the_first(homes: Path, tmp_path: Path) -> None:
    paths = [tmp_path / folder / "pins.vcd" for folder in ("a", "b", "c")]
    run = imported(str(LOG))
    for number, path in enumerate(paths):
        path.parent.mkdir()
        path.write_bytes(vcd({f"D{number}": [1_000_000], "usable": [5_000_000 + number]}))
        channel = f"D{number}=kernel.entry,usable=usable"
        run = imported(str(path), "--into", run.id, "--channel", channel)
    kept = {each.path for each in run.artifacts}
    folders = ("imported", "imported-2", "imported-3")
    assert kept == {f"artifacts/{LOG.name}", *(f"artifacts/{name}/pins.vcd" for name in folders)}
    for path, name in zip(paths, folders, strict=True):
        found = find_run(run.id) / "artifacts" / name / "pins.vcd"
        assert found.read_bytes() == path.read_bytes()


def test_a_file_that_is_called_imported_is_kept_beside_others(homes: Path, tmp_path: Path) -> None:
    log, pins = tmp_path / "imported", tmp_path / "pins.vcd"
    log.write_bytes(LOG.read_bytes())
    pins.write_bytes(vcd({"usable": [5_000_000]}))
    run = imported(str(pins), "--into", imported(str(log)).id)
    assert {each.path for each in run.artifacts} == {
        "artifacts/imported",
        "artifacts/imported-2/pins.vcd",
    }


def test_twenty_thousand_names_are_twenty_thousand_figures(tmp_path: Path) -> None:
    rows = [{"run_name": f"copy/{n}", "real_time": 1, "cpu_time": 1} for n in range(20_000)]
    path = tmp_path / "google.json"
    path.write_text(json.dumps({"context": {}, "benchmarks": rows}))
    found = importers()["google"].read(SavedFile(path), ImportOptions())
    assert len(found.metrics) == 40_000


def test_more_figures_than_a_report_shows_are_refused(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"run_name": f"copy/{n}", "real_time": 1, "cpu_time": 1} for n in range(26_000)]
    path = tmp_path / "google.json"
    path.write_text(json.dumps({"context": {}, "benchmarks": rows}))
    assert call("import", str(path)) == 2
    assert "has more than 50,000 figures" in capsys.readouterr().err


def test_logs_of_two_kernels_of_one_board_are_told_apart(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (FOLDER / "way-pipe" / "input.log").read_text()
    paths = [tmp_path / "a.log", tmp_path / "b.log"]
    paths[0].write_text(text)
    paths[1].write_text(text.replace("6.1.30", "6.6.2"))
    imported(*map(str, paths))
    said = " ".join(capsys.readouterr().out.split())
    assert "The logs are of 2 kernels" in said
    imported(str(paths[0]), str(paths[0]))
    assert "The logs are of" not in capsys.readouterr().out


def test_what_systemd_says_of_the_kernel_is_held_against_the_log(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (FOLDER / "way-pipe" / "input.log").read_text()
    path = tmp_path / "a.log"
    said = "[    2.300000] systemd[1]: Startup finished in {} (kernel) + 2.1s (userspace) = {}.\n"
    path.write_text(text + said.format("1.900s", "4.000s"))
    imported(str(path))
    assert "systemd says" not in capsys.readouterr().out
    path.write_text(text + said.format("2.900s", "6.000s"))
    imported(str(path))
    found = " ".join(capsys.readouterr().out.split())
    assert "systemd says that the kernel took 2.900 s; by the log it was 1.900 s." in found
    assert "its parts are 5.000 s: 1.000 s are in none of them" in found


REPORT = "Timer summary in microseconds (9 records):\n       Mark    Elapsed  Stage\n"
PLOT = (FOLDER / "plot-bar-against-label" / "input.svg").read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{REPORT}          0          0  reset\n{'9' * 19}  {'9' * 19}  SPL\n", "a stage at 1e"),
        (f"{REPORT}          0          0  reset\n{10**16}  {10**16}  SPL\n", "a stage at 1e+10 s"),
        (PLOT.replace('x="800.000" y="-5.000"', 'x="0.000001" y="-5.000"'), "longer than any boot"),
    ],
)
def test_a_boot_of_thirty_years_is_refused(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    path = tmp_path / "given.txt"
    path.write_text(text)
    assert call("import", str(path)) == 2
    assert said in capsys.readouterr().err
