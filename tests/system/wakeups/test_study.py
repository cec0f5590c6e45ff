# SPDX-License-Identifier: Apache-2.0
"""The writer that wakes less often: on a virtual board with our driver, and on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from perfboard.model.errors import EXIT_INCONCLUSIVE
from tests.support.powercap import Powercap
from tests.support.runs import result_of

from ...native.sanitized import ROOT
from ..conftest import Here, Perfboard, build_for_trials, compile_program

# A board whose kernel for trials other tests need too.
BOARD = "converter"
# What the driver refuses, an errno a line; and that a killed writer leaves it free.
SOURCE = """
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perfboard_wake.h"

static int file;

static void say(const char *what, int result)
{
	printf("%s %d\\n", what, result < 0 ? errno : 0);
}

static int set_up(unsigned buffers, unsigned bytes, unsigned period)
{
	struct perfboard_wake_setup setup = {buffers, bytes, period};

	return ioctl(file, PERFBOARD_WAKE_SETUP, &setup);
}

static int set_level(unsigned level)
{
	return ioctl(file, PERFBOARD_WAKE_LEVEL, &level);
}

int main(void)
{
	static char sound[8192];
	void *volatile nowhere = (void *)1;
	int other = open("/dev/perfboard_wake", O_RDONLY);

	file = open("/dev/perfboard_wake", O_WRONLY);
	say("second", open("/dev/perfboard_wake", O_WRONLY));
	say("reader", ioctl(other, PERFBOARD_WAKE_ADAPT));
	say("request", ioctl(file, 0x1234));
	say("pointer", ioctl(file, PERFBOARD_WAKE_SETUP, 1));
	say("few", set_up(1, 1024, 1000000));
	say("many", set_up(65, 1024, 1000000));
	say("small", set_up(8, 3, 1000000));
	say("large", set_up(8, 65537, 1000000));
	say("fast", set_up(8, 1024, 99999));
	say("slow", set_up(8, 1024, 1000000001));
	say("setup", set_up(4, 64, 1000000));
	say("level", set_level(3));
	say("highest", set_level(2));
	say("address", write(file, nowhere, 64));
	say("written", write(file, sound, 64));
	say("late", set_up(8, 1024, 1000000));
	close(file);
	file = open("/dev/perfboard_wake", O_WRONLY | O_NONBLOCK);
	set_up(4, 64, 1000000000);
	printf("filled %d\\n", (int)write(file, sound, 6 * 64));
	say("full", write(file, sound, 64));
	close(file);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (child == 0) {
			file = open("/dev/perfboard_wake", O_WRONLY);
			for (;;)
				if (write(file, sound, sizeof(sound)) < 0)
					_exit(1);
		}
		usleep(10000 + 1000 * i);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	file = open("/dev/perfboard_wake", O_WRONLY);
	say("free", file);
	return 0;
}
"""
EBADF, EAGAIN, EFAULT, EBUSY, EINVAL, ENOTTY = 9, 11, 14, 16, 22, 25


@pytest.fixture(scope="module")
def kernel() -> None:
    build_for_trials(BOARD, "wake")


def study(perfboard: Perfboard, *words: str) -> Any:
    return perfboard.json("study", "wakeups", *words, "--load", "idle")


def test_the_writer_sleeps_as_often_as_the_level_says(tmp_path: Path, kernel: None) -> None:
    perfboard = Perfboard(tmp_path / "data")
    words = ("--board", BOARD, "--periods", "208", "--trigger", "0", "--trigger", "3")
    run = study(perfboard, *words)
    result = result_of(run, "wakeups")
    played = {(each["way"], each["level"]): each for each in result["playbacks"]}
    assert [played["sink", level]["wakes"] for level in "03"] == [200, 50]
    assert [played["alsa", level]["wakes"] for level in "03"] == [200, 50]
    assert not any(each["missed"] or each["refused"] for each in result["playbacks"])
    # A wake is two switches: to the writer, and back.
    none = played["none", "0"]["switches"]
    saved = played["sink", "0"]["switches"] - played["sink", "3"]["switches"]
    assert saved == pytest.approx(2 * 150, abs=20)
    assert none < played["sink", "3"]["switches"]
    assert played["sink", "adaptive"]["at_level"] == {"0": 200}
    assert (result["advised_way"], result["advised"], run["evidence"]) == ("sink", "3", "timed")
    page = Path(perfboard("report", "latest").stdout.strip()).read_text()
    assert "Context switches over the slack" in page


def test_the_driver_refuses_what_is_wrong_and_survives_its_writers(
    tmp_path: Path, kernel: None
) -> None:
    include = f"-I{ROOT / 'native/kernel'}"
    program = compile_program("i686-linux-gnu-gcc", SOURCE, tmp_path / "odd", include)
    perfboard = Perfboard(tmp_path / "data")
    words = ("--set", "features=wake", "--push", str(program))
    run = perfboard.json("try", BOARD, *words, "--", "./odd")
    said = perfboard.artifact(run, "stdout").read_text()
    found = {name: int(value) for name, value in (line.split() for line in said.splitlines())}
    refused = ("few", "many", "small", "large", "fast", "slow", "level")
    assert found == {
        **dict.fromkeys(refused, EINVAL),
        **dict.fromkeys(("setup", "highest", "written", "free"), 0),
        **{"second": EBUSY, "late": EBUSY, "reader": EBADF, "request": ENOTTY},
        **{"pointer": EFAULT, "address": EFAULT, "filled": 4 * 64, "full": EAGAIN},
    }


@contextmanager
def running(tree: Powercap) -> Iterator[None]:
    """A package that takes a millijoule again and again."""
    ends = Event()

    def count() -> None:
        while not ends.wait(0.005):
            tree.add("intel-rapl:0", 1000)

    thread = Thread(target=count)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


def test_without_our_driver_a_timer_does(here: Here, tmp_path: Path) -> None:
    tree = Powercap(tmp_path / "powercap")
    words = ("--periods", "108", "--trigger", "0", "--trigger", "6", "--way", "timer")
    with running(tree):
        power = f"rapl:{tree.root}"
        process = here.start("study", "wakeups", *words, "--load", "idle", "--power", power)
        out, err = process.communicate(timeout=300)
    # A busy machine wakes too late for any level: then there is no advice.
    assert process.returncode in (0, EXIT_INCONCLUSIVE), f"{out}\n{err}"
    result = result_of(here.json("show", "latest"), "wakeups")
    played = [each for each in result["playbacks"] if each["way"] == "timer"]
    assert [each["level"] for each in played] == ["0", "6"] * 3
    # A late wake finds more to fill: this machine may be busy.
    assert all(0 < each["wakes"] <= 100 for each in played)
    assert all(0 < each["wakes"] <= 15 for each in played if each["level"] == "6")
    assert all(each["energies"][-1]["name"] == "total" for each in played)
    # What the tree counts, in whole millijoules.
    joules = [each["energies"][-1]["joules"] for each in played]
    assert min(joules) > 0 and all(1e3 * j == pytest.approx(round(1e3 * j)) for j in joules)
    assert here.left_clean()
