# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe memory`: the sums of a program and its children, and nothing of them stays."""

import subprocess
import time
from pathlib import Path

import pytest

from perfboard.measures.memory.application import ApplicationMemoryRow, FreeBeforeRow
from perfboard.model.rows import read_rows

from .compiler import compile_commands

PAGE = 4096


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("memory") / "memory"
    return compile_commands(path, "commands/memory.c", "commands/pace.c")


def rows(text: str) -> dict[str, ApplicationMemoryRow]:
    """What there was, by when."""
    return {row.when: row for row in read_rows(text, ApplicationMemoryRow)}


def by_hand(ids: list[int]) -> list[int]:
    """RSS, PSS and USS of these processes, as smem counts them."""
    sums = [0, 0, 0]
    for one in ids:
        fields = {}
        for line in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()[1:]:
            name, _, rest = line.partition(":")
            fields[name] = int(rest.split()[0]) * 1024
        own = fields["Private_Clean"] + fields["Private_Dirty"]
        sums = [a + b for a, b in zip(sums, (fields["Rss"], fields["Pss"], own), strict=True)]
    return sums


def virtual_size(ids: list[int]) -> int:
    """Their virtual sizes, by the pages of statm."""
    words = (Path(f"/proc/{one}/statm").read_text().split() for one in ids)
    return sum(int(pages) * PAGE for pages, *_ in words)


def test_the_sums_are_those_read_by_hand(probe: str, tmp_path: Path) -> None:
    ids = tmp_path / "ids"
    # The shell waits, its child and its grandchild sleep, and an orphan does.
    command = f"(sleep 99 & echo $! >> {ids}); sh -c 'sleep 98; :' & echo $! $$ >> {ids}; sleep 97"
    words = [probe, "memory", "800", command, "true"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        time.sleep(0.5)
        own = [int(word) for word in ids.read_text().split()]
        everyone = {
            int(path.parent.name): path.read_text() for path in Path("/proc").glob("[0-9]*/stat")
        }
        more = [
            one
            for one, text in everyone.items()
            if int(text.rpartition(")")[2].split()[1]) in own and one not in own
        ]
        expected = by_hand([*own, *more])
        size = virtual_size([*own, *more])
        output, _ = running.communicate(timeout=20)
    assert len(own) == 3 and len(more) == 2
    start = rows(output)["start"]
    rss, pss, uss = start.rss_bytes, start.pss_bytes, start.uss_bytes
    assert abs(rss - expected[0]) <= PAGE and start.vsz_bytes == size > rss
    # How many others share the pages of shell and C library changes between the two looks.
    assert [pss, uss] == pytest.approx(expected[1:], rel=0.15) and uss <= pss <= rss
    assert not any(Path(f"/proc/{one}").exists() for one in [*own, *more])


def test_shared_pages_are_divided_as_by_hand(probe: str, tmp_path: Path) -> None:
    ids, program = tmp_path / "ids", tmp_path / "forks"
    source = """
        #include <stdio.h>
        #include <string.h>
        #include <unistd.h>
        static char pages[1 << 20];
        int main(int argc, char **argv)
        {
            memset(pages, 1, sizeof(pages));
            FILE *ids = fopen(argv[1], "w");
            pid_t child = fork();
            if (child == 0)
                memset(pages, 2, sizeof(pages) / 4);
            else
                fprintf(ids, "%d %d", getpid(), child);
            fclose(ids);
            sleep(60);
        }
    """
    # Static: nobody else has its pages.
    words = ["gcc", "-static", "-x", "c", "-", "-o", str(program)]
    subprocess.run(words, input=source, text=True, check=True)
    words = [probe, "memory", "1500", f"exec {program} {ids}", "true"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        while not (ids.exists() and ids.read_text()):
            time.sleep(0.01)
        # The child still writes its pages.
        time.sleep(0.5)
        expected = by_hand([int(word) for word in ids.read_text().split()])
        output, _ = running.communicate(timeout=60)
    start = rows(output)["start"]
    rss, pss, uss = start.rss_bytes, start.pss_bytes, start.uss_bytes
    for found, by_us in zip((rss, pss, uss), expected, strict=True):
        assert abs(found - by_us) <= PAGE
    assert uss < pss < rss - (1 << 19)


def test_the_highest_is_of_the_task_and_what_stays_is_lasting(probe: str, tmp_path: Path) -> None:
    go = tmp_path / "go"
    grow = (
        "import os, time\n"
        f"while not os.path.exists({str(go)!r}): time.sleep(0.01)\n"
        "kept = b'x' * 10_000_000; more = b'y' * 20_000_000\n"
        "time.sleep(0.5); del more; time.sleep(60)"
    )
    program = tmp_path / "grow.py"
    program.write_text(grow)
    words = [probe, "memory", "2500", f"exec python3 -S {program}", f"touch {go}; sleep 0.5"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    found = rows(done.stdout)
    start, highest, lasting = (found[when].uss_bytes for when in ("start", "highest", "lasting"))
    assert 29e6 < highest - start < 32e6 and 9e6 < lasting - start < 12e6
    assert found["highest"].free_bytes <= found["start"].free_bytes


def test_a_command_without_a_task_is_awaited(probe: str) -> None:
    words = [probe, "memory", "200", "sleep 0.5"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=20)
    found = rows(done.stdout)
    assert done.returncode == 0 and list(found) == ["start", "highest", "lasting"]
    for row in found.values():
        assert min(row.rss_bytes, row.pss_bytes, row.uss_bytes, row.free_bytes) > 0
    assert len(read_rows(done.stdout, FreeBeforeRow)) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["500", "exit 3"], "within the time"),
        (["100", "sleep 9", "exit 4"], "the task ended with 4"),
        (["100", "sleep 0.4; exit 5"], "the command ended with 5"),
    ],
)
def test_what_fails_is_told(probe: str, words: list[str], said: str) -> None:
    given = [probe, "memory", *words]
    done = subprocess.run(given, capture_output=True, text=True, timeout=20)
    assert done.returncode == 1 and said in done.stderr and not rows(done.stdout)


@pytest.mark.parametrize("words", [[], ["1"], ["x", "true"], ["9999999", "true"]])
def test_wrong_words_are_told(probe: str, words: list[str]) -> None:
    done = subprocess.run([probe, "memory", *words], capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr
