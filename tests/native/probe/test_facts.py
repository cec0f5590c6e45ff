# SPDX-License-Identifier: Apache-2.0
"""What the probe says of the target, from files of ours: those of the processor that it is on."""

import json
import subprocess
from pathlib import Path

import pytest

from .compiler import HERE, compile_sources

_CPU = "sys/devices/system/cpu/cpu{}/"
_ARM = """\
processor\t: 0
BogoMIPS\t: 48.00
CPU implementer\t: 0x41
CPU part\t: 0xd05

processor\t: 10
BogoMIPS\t: 48.00
CPU implementer\t: 0x41
CPU part\t: 0xd0b

Hardware\t: A Board
"""


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_sources(
        tmp_path_factory.mktemp("native") / "facts",
        *(f"-Wl,--wrap={name}" for name in ("open", "sched_getaffinity", "sched_getcpu")),
        HERE / "facts_harness.c",
        *("probes/system/facts.c", "measure/child.c", "measure/clock.c", "measure/memory.c"),
        *("measure/number.c", "measure/place.c", "measure/reading.c", "measure/reason.c"),
        "talk/json.c",
    )


class Board:
    """The files that the probe finds; see facts_harness.c."""

    def __init__(self, harness: Path, root: Path) -> None:
        self._harness = harness
        self._root = root

    def say(self, path: str, text: str) -> None:
        file = self._root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def facts(self, cpu: int) -> dict[str, str]:
        words = [str(self._harness), str(self._root), str(cpu)]
        done = subprocess.run(words, capture_output=True, check=True, text=True)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        return {fact["fact"]: fact["value"] for fact in said}


@pytest.fixture
def board(harness: Path, tmp_path: Path) -> Board:
    return Board(harness, tmp_path)


def test_of_two_kinds_of_processor_it_is_the_one_that_is_measured(board: Board) -> None:
    board.say("proc/cpuinfo", _ARM)
    for cpu, governor, kib in ((0, "powersave", 512), (10, "performance", 2048)):
        board.say(f"{_CPU.format(cpu)}cpufreq/scaling_governor", f"{governor}\n")
        for name, text in (("size", f"{kib}K"), ("level", "2"), ("type", "Unified")):
            board.say(f"{_CPU.format(cpu)}cache/index0/{name}", f"{text}\n")
    little, big = board.facts(0), board.facts(10)
    assert (little["governor"], big["governor"]) == ("powersave", "performance")
    assert (little["caches"], big["caches"]) == ("L2 512 KiB", "L2 2 MiB")
    assert (little["last level"], big["last level"]) == ("524288", "2097152")
    assert (little["processor part"], big["processor part"]) == ("0xd05", "0xd0b")
    # What is of no one processor is of each.
    assert little["hardware"] == big["hardware"] == "A Board"


@pytest.mark.parametrize(
    ("file", "speeds", "usual"),
    [
        ("cpu_capacity", {0: 446, 6: 1024, 10: 1024, 11: 1024, 63: 446}, 10),
        ("cpufreq/cpuinfo_max_freq", {0: 5_200_000, 6: 5_200_000, 10: 3_900_000, 63: 3_900_000}, 6),
        ("cpu_capacity", {}, 63),
    ],
)
def test_what_is_measured_is_the_last_of_the_fastest_that_may_be_used(
    board: Board, file: str, speeds: dict[int, int], usual: int
) -> None:
    for cpu, speed in speeds.items():
        board.say(f"{_CPU.format(cpu)}{file}", f"{speed}\n")
    assert board.facts(0)["usual"] == str(usual)


def test_a_processor_is_named_by_its_own_rows(board: Board) -> None:
    rows = "processor\t: {}\nmodel name\t: Kind {}\ncpu family\t: 6\nflags\t\t: {}\n\n"
    board.say("proc/cpuinfo", "".join(rows.format(n, n, "sse " * 300) for n in range(64)))
    assert board.facts(63)["processor"] == "Kind 63"
    assert board.facts(6)["processor"] == "Kind 6"
    # As kernels before 3.8 have it on ARM, on a part with one processor.
    board.say("proc/cpuinfo", "Processor\t: ARM926EJ-S rev 5 (v5l)\nCPU part\t: 0x926\n")
    assert board.facts(0)["processor"] == "ARM926EJ-S rev 5 (v5l)"
    assert board.facts(0)["processor part"] == "0x926"


def test_mitigations_are_those_that_the_kernel_lists(board: Board) -> None:
    folder = "sys/devices/system/cpu/vulnerabilities"
    for name, text in (
        ("mds", "Vulnerable"),
        ("a_new_one", "Mitigation: none yet"),
        ("spectre_v1", "Mitigation: barriers"),
        ("l1tf", "Not affected"),
        ("x" * 60, "Vulnerable"),
    ):
        board.say(f"{folder}/{name}", f"{text}\n")
    found = {k: v for k, v in board.facts(0).items() if k.startswith("mitigation ")}
    assert list(found.items()) == [
        ("mitigation a_new_one", "Mitigation: none yet"),
        ("mitigation mds", "Vulnerable"),
        ("mitigation spectre_v1", "Mitigation: barriers"),
    ]
