# SPDX-License-Identifier: Apache-2.0
"""The generator at the far end of a virtual board's wire, against a device of known speed."""

import subprocess
from pathlib import Path

import pytest

from perfboard.bench.talk.ends import SenderReport
from perfboard.model.rows import RefusedRow, read_row

from ..sanitized import ROOT, compile_sanitized

FAR_END = ROOT / "native" / "far_end"
FAST = 100_000_000
# A packet of the least size, with what is around it on the wire, in s.
LEAST_S = 84 * 8 / FAST
SERVICE_NS = 500_000
CAPACITY = 1e9 / SERVICE_NS


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    own = Path(__file__).with_name("trial_harness.c")
    path = tmp_path_factory.mktemp("trial") / "harness"
    return compile_sanitized(path, FAR_END, own, "generator.c", "packet.c", "wire.c")


def tried(
    harness: Path, trial: str, *, service: int = SERVICE_NS, loss: float = 0.0
) -> tuple[SenderReport, int]:
    """The outcome, and the frames that were missed."""
    words = [FAST, 500, round(loss * 2**32), service, trial]
    command = [str(word) for word in (harness, *words)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    outcome, missed = said.splitlines()
    row = read_row(outcome, SenderReport)
    assert row
    return row, int(missed.split()[1])


@pytest.mark.parametrize("protocol", ["icmp 0", "udp 7000"])
def test_below_its_speed_a_device_answers_all(harness: Path, protocol: str) -> None:
    found, missed = tried(harness, f"{protocol} 1 1000 1600000 32")
    assert (found.sent, found.answered, missed) == (1600, 1600, 0)
    assert (found.behind_us, found.burst) == (0, 1)
    assert found.took_us == 1_000_000
    # The last request is answered after the trial.
    assert found.late <= 1


def test_beyond_its_speed_the_cards_ring_fills_and_misses_the_rest(harness: Path) -> None:
    found, missed = tried(harness, "icmp 0 1 1000 4000000 32")
    assert found.sent == 4000
    assert found.answered == pytest.approx(CAPACITY + 64, abs=3)
    assert found.late == pytest.approx(64, abs=2)
    assert missed == found.sent - found.answered


def test_a_little_too_much_for_a_short_time_fits_into_the_ring(harness: Path) -> None:
    found, missed = tried(harness, "icmp 0 1 1000 2050000 32")
    assert (found.answered, missed) == (found.sent, 0)
    # That is the bias of queues that the report states.
    assert found.late == pytest.approx(50, abs=2)


def test_a_flood_goes_at_the_devices_speed(harness: Path) -> None:
    found, missed = tried(harness, "udp 7 1 2000 0 64")
    assert (found.sent, missed) == (found.answered, 0)
    assert found.sent == pytest.approx(2 * CAPACITY + 64, abs=3)


@pytest.mark.parametrize("way", ["forward", "nat"])
def test_what_a_router_sends_on_is_counted(harness: Path, way: str) -> None:
    found, missed = tried(harness, f"{way} 9 1 2000 0 64")
    assert (found.sent, missed) == (found.answered, 0)
    assert found.sent == pytest.approx(2 * CAPACITY + 64, abs=3)


def test_one_request_at_a_time_waits_for_wire_device_and_wire(harness: Path) -> None:
    found, _ = tried(harness, "icmp 0 1 1000 0 1")
    round_trip = 2 * (LEAST_S + 0.5e-6) + SERVICE_NS / 1e9
    assert found.sent == pytest.approx(1 / round_trip, abs=2)


def test_a_rate_beyond_the_wires_is_beyond_the_sender(harness: Path) -> None:
    found, _ = tried(harness, "icmp 0 1 1000 200000000 32", service=1000)
    assert found.burst == 33
    assert found.took_us < 10_000
    assert found.sent / found.seconds == pytest.approx(2e5, rel=0.05)


def test_nobody_answers(harness: Path) -> None:
    command = [str(word) for word in (harness, FAST, 500, 0, 0, "icmp 0 1 1000 1000000 32")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert read_row(said.splitlines()[0], RefusedRow)


def test_a_lossy_wire_loses_its_share_each_way_and_the_same_in_each_run(harness: Path) -> None:
    once = tried(harness, "udp 7 100 10000 1000000 32", loss=0.01)
    assert once == tried(harness, "udp 7 100 10000 1000000 32", loss=0.01)
    assert once[0].sent == 10_000
    assert 1 - once[0].answered / once[0].sent == pytest.approx(0.0199, abs=0.005)
    # The card has taken all that came.
    assert once[1] == 0


@pytest.mark.parametrize(
    "trial",
    [
        "tcp 0 1 1 1 1",
        "icmp 70000 1 1 1 1",
        "icmp 0 0 1 1 1",
        "icmp 0 1473 1 1 1",
        "icmp 0 1 0 1 1",
        "icmp 0 1 1 1 0",
        "icmp 0 1 1",
        "",
    ],
)
def test_what_is_no_trial_is_refused(harness: Path, trial: str) -> None:
    command = [str(word) for word in (harness, FAST, 0, 0, 1, trial)]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    assert said.stdout == "no trial\n"
