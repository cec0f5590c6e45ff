# SPDX-License-Identifier: Apache-2.0
"""Commands that are tried on timed boards: what comes through, and what is said of them."""

import os
import signal
import subprocess
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import tomli_w

from perfboard.analysis.program.metrics import instants
from perfboard.analysis.program.profile import read_blocks, seconds
from perfboard.boards.loader import load_board
from perfboard.boards.margins import margins_of
from perfboard.model.timed_as import SEVERAL
from tests.support.rich_boards import rich_board
from tests.support.runs import result_of

from ..conftest import Perfboard, compile_program, until

# Two instructions a turn, and hardly any besides.
TURNS = 20_000_000
SOURCE = f"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) void spin(unsigned turns)
{{
	__asm__ volatile("1: subs %0, %0, #1\\n bne 1b" : "+r"(turns) : : "cc");
}}

static void eat(void)
{{
	/* Else the kernel may drop its code and read it again, for ever, before it kills it. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	for (;;)
		memset(malloc(1 << 20), 1, 1 << 20);
}}

int main(int argc, char **argv)
{{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "eat"))
		eat();
	if (!strcmp(what, "die"))
		raise(SIGSEGV);
	if (!strcmp(what, "sleep"))
		sleep(1000);
	if (!*what) {{
		struct timespec second = {{1, 0}};
		unsigned word = 0;

		syscall(SYS_futex, &word, FUTEX_WAIT, 0, &second);
	}}
	while (!strcmp(what, "stay"))
		spin(1000000);
	spin({TURNS});
	fwrite("out\\0\\377\\n", 1, 6, stdout);
	fputs("err\\n", stderr);
	return 3;
}}
"""


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("try") / "prog"
    return compile_program("arm-linux-gnueabihf-gcc", SOURCE, path, "-marm")


@pytest.fixture
def board(tmp_path: Path, trials: None) -> Perfboard:
    return Perfboard(tmp_path / "data")


def emulator_of(pid: int) -> psutil.Process | None:
    """The emulator that the process has started, once it boots a board."""
    for child in psutil.Process(pid).children():
        with suppress(psutil.Error):
            if "-plugin" in child.cmdline():
                return child
    return None


def values(run: Any) -> dict[str, float]:
    return {metric["name"]: metric["samples"][0] for metric in run["metrics"]}


def test_a_program_is_timed_and_its_output_comes_through(board: Perfboard, program: Path) -> None:
    process = subprocess.run(
        [*board.words, "try", rich_board("rpi2"), "--push", str(program), "--", "./prog"],
        capture_output=True,
        env=board.environment,
        timeout=300,
    )
    assert process.returncode == 3, process.stderr.decode(errors="replace")
    assert process.stdout == b"out\0\xff\n"
    said = process.stderr.decode()
    assert "err\n" in said
    share = margins_of(load_board("rpi2").board).margins[SEVERAL].share
    margin = f"rpi2, timed \N{PLUS-MINUS SIGN}{share:.0%}"
    assert "exit code 3" in said and margin in said
    run = board.json("show", "latest")
    trial, found = result_of(run, "program"), values(run)
    assert run["study"] == "try" and run["evidence"] == "timed" and run["status"] == "complete"
    assert (trial["exit_code"], trial["signal"], trial["command"]) == (3, None, ["./prog"])
    # Two instructions a turn, which the Cortex-A7 takes some cycles for.
    top = trial["profile"][0]
    assert (top["name"], top["file"]) == ("spin", "/work/prog")
    assert top["instructions"] == pytest.approx(2 * TURNS, rel=0.01)
    assert TURNS / 0.9e9 < top["time_s"] < 4 * TURNS / 0.9e9
    # The profile is of all that the processor did, as the model counted it.
    marks = instants(board.artifact(run, "scope.jsonl").read_text(), "try")
    cycles_s = (marks[1].counters["cycles_fs"] - marks[0].counters["cycles_fs"]) / 1e15
    assert trial["profiled_s"] == pytest.approx(cycles_s, rel=0.01)
    blocks = read_blocks(board.artifact(run, "profile.jsonl").read_text())
    assert seconds(blocks) == pytest.approx(cycles_s, rel=0.01)
    assert sum(block.instructions for block in blocks) == pytest.approx(
        marks[1].instructions - marks[0].instructions, rel=0.01
    )
    assert found["try.time.futex"] == pytest.approx(1, rel=0.01)
    # Idle is what is left of all four cores.
    assert 4 * found["try.time.real"] == pytest.approx(
        found["try.time.user"] + found["try.time.system"] + found["try.time.idle"], rel=0.01
    )
    assert found["try.instructions"] == pytest.approx(2 * TURNS, rel=0.1)
    # A board that idles does nothing, on whichever core the last program slept.
    assert found["try.time.system"] < 0.1 < 1 < found["try.time.real"]
    report = Path(board("report", "latest").stdout.strip()).read_text()
    assert "Where the time went" in report and "spin" in report
    again = board.json("try", "rpi2", "--push", str(program), "--", "./prog", code=3)
    assert values(again) == found, "the same command has the same figures"


def test_programs_of_an_older_port_have_what_the_part_has(board: Perfboard) -> None:
    """PXA270: ARMv5, without floating point."""
    words = ("--", "sh", "-c", "ls /lib/ld-linux*; seq 2000 | sort -r | sort -n | tail -1")
    done = board("try", "verdex", "--architecture", "armel", *words)
    assert done.stdout == "/lib/ld-linux.so.3\n2000\n"
    (row,) = board.json("runs")
    run = board.json("show", row["id"])
    assert result_of(run, "program")["lacked"] == {}
    assert "that the part lacks" not in done.stderr


def test_a_package_is_there_with_what_it_needs(board: Perfboard, tmp_path: Path) -> None:
    given, folder = tmp_path / "given", tmp_path / "folder"
    given.write_bytes(b"given\0")
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/text").write_text("pushed\n")
    (folder / "link").symlink_to("deep/text")
    # Eight processes at once, of which none is the largest.
    eat = "x=$(head -c 2000000 /dev/zero | tr '\\0' a); sleep 1"
    script = (
        f"for i in 1 2 3 4 5 6 7 8; do ({eat}) & done; wait; cat folder/link; "
        "seq 20000 | bzip2 | bzip2 -dc | md5sum >> /dev/stdout; cat - /dev/stdin"
    )
    pushed = ("--push", str(folder), "--package", "bzip2", "--stdin", str(given))
    words = (*pushed, "--", "sh", "-c", script)
    done = board("try", "rpi2", "--compare", "verdex", *words)
    expected = subprocess.run(
        ["sh", "-c", "seq 20000 | md5sum"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "pushed\n" + expected.stdout + "given\0" * 2
    assert "rpi2, timed" in done.stderr and "verdex, timed" in done.stderr
    runs = [board.json("show", row["id"]) for row in board.json("runs")]
    times = {run["board"]["name"]: values(run)["try.time.real"] for run in runs}
    assert times["rpi2"] < times["verdex"]
    resident = {run["board"]["name"]: values(run)["try.memory.resident"] for run in runs}
    # Linux has up to 24 pages of each of two counts on each core, which the sum does not have yet.
    assert min(resident.values()) > 8 * 2_000_000 - 4 * 2 * 24 * 4096, resident
    files = {
        row["file"].rpartition("/")[2]
        for run in runs
        for row in result_of(run, "program")["profile"]
    }
    assert {"kernel", "busybox"} <= files and any(name.startswith("libbz2") for name in files)
    assert all("bzip2" in run["provenance"]["packages"] for run in runs)


def test_a_card_is_written_and_read_at_its_own_speed(board: Perfboard, tmp_path: Path) -> None:
    script = tmp_path / "card.sh"
    # Beyond the part that the kernel maps at a time, and across its edges.
    script.write_text(
        "set -e; now() { read up rest < /proc/uptime; echo $up; }\n"
        "seq 1 1500000 > f; now\n"
        "dd if=f of=/dev/pbd bs=1M conv=fsync 2> /dev/null; now\n"
        "echo 3 > /proc/sys/vm/drop_caches; now\n"
        "dd if=/dev/pbd of=g bs=1M count=11 2> /dev/null; now\n"
        "wc -c < f; cmp f g 2>&1 || :\n"
    )
    run = board.json("try", "rpi2", "--push", str(script), "--", "sh", "card.sh")
    said = board.artifact(run, "stdout").read_text().splitlines()
    began, written, again, read = map(float, said[:4])
    size = int(said[4])
    disk = load_board("rpi2").board.disk
    assert disk is not None and disk.transfer is not None and disk.transfer.write_rate is not None
    assert size > 10 << 20
    # The medium's time, and that of a request each 4 KiB at most; the clock has hundredths.
    assert size / disk.transfer.write_rate <= written - began + 0.02
    assert 11 * (1 << 20) / disk.transfer.rate <= read - again + 0.02 < 2
    # What was written is what is read.
    assert said[5].startswith("cmp: EOF on f")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nosuch",), 127, "cannot run nosuch: there is no such program on the board"),
        (("/etc/passwd",), 126, "cannot run /etc/passwd: Permission denied"),
        (("./prog", "die"), 128 + signal.SIGSEGV, "killed by SIGSEGV"),
        (("sh", "-c", "kill -9 $$"), 128 + signal.SIGKILL, "killed by SIGKILL"),
        (("./prog", "eat"), 128 + signal.SIGKILL, "64 MiB, was used up"),
    ],
)
def test_how_a_command_ends_comes_through(
    board: Perfboard, program: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    done = board("try", "verdex", "--push", str(program), "--", *words, code=code)
    assert said in " ".join(done.stderr.split())


def test_what_is_not_there_is_told_with_what_to_have(board: Perfboard, tmp_path: Path) -> None:
    script = tmp_path / "go"
    script.write_text("#!/bin/bash\n")
    script.chmod(0o755)
    done = board("try", "verdex", "--push", str(script), "--", "sh", "-c", "./go; busyb", code=127)
    said = " ".join(done.stderr.split())
    assert "go is a script for bash, which is not on the board; --package bash may" in said
    assert "the part lacks (ARMv6's and ARMv7's, Thumb-2, VFP and NEON)" in said
    assert "No package has busyb; what begins so is busybox." in said


@pytest.mark.parametrize("how", ["stay", "sleep"])
def test_a_command_that_never_ends_is_killed_at_its_limit(
    board: Perfboard, program: Path, how: str
) -> None:
    words = ("--push", str(program), "--time-limit", "1", "--", "./prog", how)
    done = board("try", "rpi2", *words, code=4)
    assert "had not ended after 1 s of the board's time" in " ".join(done.stderr.split())
    run = board.json("show", "latest")
    assert run["status"] == "failed" and run["errors"][0]["kind"] == "time-limit"
    assert values(run)["try.time.real"] == pytest.approx(1, rel=0.01)


def test_an_interrupted_command_keeps_its_output_and_leaves_nothing_running(
    board: Perfboard, program: Path, tmp_path: Path
) -> None:
    words = ("--push", str(program), "--", "sh", "-c", "echo so far; ./prog stay")
    process = board.start("try", "rpi2", *words)
    emulator = until(lambda: emulator_of(process.pid))
    # A beat, of a tenth of a second, after the command's first mark.
    log = until(lambda: next(tmp_path.glob("data/**/artifacts/scope.jsonl"), None))
    until(lambda: '"beat"' in log.read_text().partition('"mark"')[2])
    os.kill(process.pid, signal.SIGINT)
    run = board.finish(process, 130)
    assert run["status"] == "aborted" and result_of(run, "program")["interrupted"]
    assert values(run)["try.time.real"] > 0
    assert board.artifact(run, "stdout").read_bytes() == b"so far\n"
    assert not emulator.is_running()


def test_a_counted_board_has_instructions_alone(board: Perfboard, program: Path) -> None:
    words = ("--set", "detail=counted", "--push", str(program), "--", "./prog")
    run = board.json("try", "rpi2", *words, code=3)
    assert run["evidence"] == "counted" and result_of(run, "program")["profile"] == []
    assert values(run)["try.instructions"] == pytest.approx(2 * TURNS, rel=0.1)
    assert not any(name.startswith("try.misses") for name in values(run))


def test_a_counted_command_that_says_nothing_for_long_is_no_hang(
    board: Perfboard, program: Path, tmp_path: Path
) -> None:
    table = tomllib.loads(Path(rich_board("rpi2")).read_text()) | {"boot": {"limit_s": 3}}
    own = tmp_path / "patient.toml"
    own.write_text(tomli_w.dumps(table))
    words = ("--set", "detail=counted", "--push", str(program), "--time-limit", "40")
    board("try", str(own), *words, "--", "./prog", "stay", code=4)
    run = board.json("show", "latest")
    assert run["errors"][0]["kind"] == "time-limit", run["errors"]
    # Four cores have turns by instructions, and no time of their own.
    assert "try.time.real" not in values(run) and values(run)["try.core0.instructions"] > 0


def test_what_goes_to_the_console_takes_the_consoles_time(board: Perfboard) -> None:
    run = board.json("try", "verdex", "--", "sh", "-c", "seq 200 > /dev/console")
    sent = sum(len(f"{number}\r\n") for number in range(1, 201))
    # The last 64 wait in the FIFO when the command ends, and the first are sent as it starts.
    assert values(run)["try.waits.console"] == pytest.approx((sent - 64) * 10 / 115200, rel=0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--package", "nosuchpackage"), 'apt knows no package "nosuchpackage" for armhf'),
        (("--package", "No Such"), "needs the name of a Debian package"),
        (("--package", "grub-efi-amd64-bin"), "for armhf"),
    ],
)
def test_a_wrong_package_is_refused(board: Perfboard, words: tuple[str, ...], said: str) -> None:
    assert said in board("try", "rpi2", *words, "--", "true", code=2).stderr
