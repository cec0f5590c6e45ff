# SPDX-License-Identifier: Apache-2.0
"""The generator at the far end of a virtual board's wire, against a device of known speed."""

import subprocess
from pathlib import Path

import pytest

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
    return compile_sanitized(path, FAR_END, own, "generator.c", "wire.c")


def tried(
    harness: Path, trial: str, *, service: int = SERVICE_NS, loss: float = 0.0
) -> tuple[list[int], int]:
    """The numbers of the outcome, none where nobody answered; and the frames that were missed."""
    words = [FAST, 500, round(loss * 2**32), service, trial]
    command = [str(word) for word in (harness, *words)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    outcome, missed = said.splitlines()
    return [int(word) for word in outcome.split()[1:]], int(missed.split()[1])


@pytest.mark.parametrize("protocol", ["icmp 0", "udp 7000"])
def test_below_its_speed_a_device_answers_all(harness: Path, protocol: str) -> None:
    (sent, answered, late, took, behind, burst, *_), missed = tried(
        harness, f"{protocol} 1 1000 1600000 32"
    )
    assert (sent, answered, missed) == (1600, 1600, 0)
    assert (behind, burst) == (0, 1)
    assert took == 1_000_000
    # The last request is answered after the trial.
    assert late <= 1


def test_beyond_its_speed_the_cards_ring_fills_and_misses_the_rest(harness: Path) -> None:
    (sent, answered, late, *_), missed = tried(harness, "icmp 0 1 1000 4000000 32")
    assert sent == 4000
    assert answered == pytest.approx(CAPACITY + 64, abs=3)
    assert late == pytest.approx(64, abs=2)
    assert missed == sent - answered


def test_a_little_too_much_for_a_short_time_fits_into_the_ring(harness: Path) -> None:
    (sent, answered, late, *_), missed = tried(harness, "icmp 0 1 1000 2050000 32")
    assert (answered, missed) == (sent, 0)
    # That is the bias of queues that the report states.
    assert late == pytest.approx(50, abs=2)


def test_a_flood_goes_at_the_devices_speed(harness: Path) -> None:
    (sent, answered, *_), missed = tried(harness, "udp 7 1 2000 0 64")
    assert (sent, missed) == (answered, 0)
    assert sent == pytest.approx(2 * CAPACITY + 64, abs=3)


def test_one_request_at_a_time_waits_for_wire_device_and_wire(harness: Path) -> None:
    (sent, *_), _ = tried(harness, "icmp 0 1 1000 0 1")
    round_trip = 2 * (LEAST_S + 0.5e-6) + SERVICE_NS / 1e9
    assert sent == pytest.approx(1 / round_trip, abs=2)


def test_a_rate_beyond_the_wires_is_beyond_the_sender(harness: Path) -> None:
    (sent, _, _, took, _, burst, *_), _ = tried(harness, "icmp 0 1 1000 200000000 32", service=1000)
    assert burst == 33
    assert took < 10_000
    assert sent / (took / 1e6) == pytest.approx(2e5, rel=0.05)


def test_nobody_answers(harness: Path) -> None:
    assert tried(harness, "icmp 0 1 1000 1000000 32", service=0)[0] == []


def test_a_lossy_wire_loses_its_share_each_way_and_the_same_in_each_run(harness: Path) -> None:
    once = tried(harness, "udp 7 100 10000 1000000 32", loss=0.01)
    assert once == tried(harness, "udp 7 100 10000 1000000 32", loss=0.01)
    sent, answered = once[0][:2]
    assert sent == 10_000
    assert 1 - answered / sent == pytest.approx(0.0199, abs=0.005)
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
