# SPDX-License-Identifier: Apache-2.0
"""A board's network: the link comes when it is negotiated, and frames take their time."""

import re
import tomllib
from pathlib import Path

import pytest
import tomli_w

from perfboard.images.network import FAR_END, FAR_END_PORT
from perfboard.measures.network.tcp import AskedRow, MovedRow
from perfboard.model.rows import Count, read_rows
from tests.support.rich_boards import rich_board

from ..conftest import Perfboard, build_for_trials, compile_program

BOARD = "settop-web"
NEGOTIATION_S = 2.5
# Of Ethernet, IP and ICMP or UDP; checksum, preamble and gap around the frame.
HEADERS, AROUND = 14 + 20 + 8, 24
SMALL, LARGE = 56, 1256
ECHOES = 100
LATENCY_S = 1000.5e-6
# Echoes COUNT datagrams of SIZE bytes by UDP, WINDOW of them on their way at a time; prints
# the seconds between the first and the last answer, and the least between two answers.
SOURCE = """
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static double now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(7)};
	int end = socket(AF_INET, SOCK_DGRAM, 0), sent = 0, come = 0;
	double first = 0, last = 0, least = 1e9;
	char text[1500] = "";

	inet_pton(AF_INET, "192.0.2.1", &far.sin_addr);
	if (argc < 4 || connect(end, (struct sockaddr *)&far, sizeof(far)))
		return 1;
	while (come < atoi(argv[1])) {
		while (sent < atoi(argv[1]) && sent < come + atoi(argv[3])) {
			text[0] = sent++;
			if (send(end, text, atoi(argv[2]), 0) < 0)
				return 1;
		}
		if (recv(end, text, sizeof(text), 0) != atoi(argv[2]) || text[0] != (char)come++)
			return 1;
		double before = last;

		last = now();
		if (come == 1)
			first = last;
		else if (last - before < least)
			least = last - before;
	}
	printf("%s.%s %.9f %.9f\\n", argv[2], argv[3], last - first, least);
	return 0;
}
"""
# By the probe: to the board, from it, and a byte there and back.
TRANSFERS = ("receive 1 200", "send 4 200", "ping 1 20")
SCRIPT = f"""
uptime() {{ read now rest < /proc/uptime; echo "$1 $now"; }}
card=/sys/class/net/eth0
ip address add 192.0.2.2/24 dev eth0
uptime opened
ip link set eth0 up
cat $card/carrier
while [ "$(cat $card/carrier)" = 0 ]; do sleep 0.01; done
uptime linked
cat $card/speed $card/duplex $card/address
for size in {SMALL} {LARGE}; do ping -c 3 -s $size 192.0.2.1; done
for size in {SMALL} 3000; do ping -c 1 -W 1 -s $size 192.0.2.9; done
for size in {SMALL} {LARGE}; do ./echo 20 $size 1; done
./echo {ECHOES} {LARGE} 8
cat /proc/net/arp
echo frames $(cat $card/statistics/tx_packets $card/statistics/rx_packets)
for line in {" ".join(map(repr, TRANSFERS))}; do
    echo $line | /perfboard/probe tcp {FAR_END} {FAR_END_PORT}
    grep "^now at" /proc/timer_list
done
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("program") / "echo"
    return compile_program("i686-linux-gnu-gcc", SOURCE, path)


def tried(folder: Path, board: str, program: Path) -> str:
    """What the script printed on the board, timed."""
    perfboard = Perfboard(folder / "data")
    script = folder / "net.sh"
    script.write_text(SCRIPT)
    # The kernel that other tests need, so that there is one fewer to build.
    words = ("--set", "features=wake", "--push", str(script), "--push", str(program))
    run = perfboard.json("try", board, *words, "--", "sh", script.name)
    return perfboard.artifact(run, "stdout").read_text()


@pytest.fixture(scope="module")
def text(program: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the script printed on the board as it is."""
    build_for_trials(BOARD, "wake")
    return tried(tmp_path_factory.mktemp("net"), BOARD, program)


def seconds(text: str, name: str) -> float:
    found = re.search(rf"^{name} ([\d.]+)$", text, re.MULTILINE)
    assert found
    return float(found[1])


def echoed(text: str, size: int, window: int) -> tuple[float, float]:
    """What the program printed of its echoes."""
    found = re.search(rf"^{size}\.{window} ([\d.]+) ([\d.]+)$", text, re.MULTILINE)
    assert found
    return float(found[1]), float(found[2])


def on_the_wire(size: int, rate: float) -> float:
    """Seconds that so many bytes, by ping or UDP, take on the wire, one way."""
    return (HEADERS + size + AROUND) * 8 / rate


def test_the_link_is_there_when_it_has_been_negotiated(text: str) -> None:
    # By hundredths of a second; a look of the script takes the board some of them.
    took = seconds(text, "linked") - seconds(text, "opened")
    assert NEGOTIATION_S - 0.02 < took < NEGOTIATION_S + 0.2
    lines = text.splitlines()
    assert lines[1] == "0"
    assert lines[3:6] == ["100", "full", "02:00:00:00:00:01"]


def test_the_far_end_answers_what_it_says_it_does(text: str) -> None:
    found = re.findall(r"(\d) packets transmitted, (\d) packets received", text)
    assert found == [("3", "3"), ("3", "3"), ("1", "1"), ("1", "0")]
    assert len(re.findall(r"192\.0\.2\.[19] .* 02:00:00:00:00:02 ", text)) == 2
    frames = re.search(r"^frames (\d+) (\d+)$", text, re.MULTILINE)
    # The last ping was of three fragments.
    assert frames and int(frames[1]) == int(frames[2]) + 3


class _CountedRow(AskedRow):
    count: Count


def test_tcp_has_the_rate_of_its_wire_and_each_ends_at_its_nanosecond(text: str) -> None:
    rows = "\n".join(re.findall(r"^(\{.*)\nnow at \d+ nsecs$", text, re.MULTILINE))
    rates = [row.bytes * 8 / row.took_us for row in read_rows(rows, MovedRow)]
    # Of a wire of 100 Mbit/s TCP leaves 94.9 (of 1538 bytes 1460); the part has less.
    assert len(rates) == 2 and all(5 < rate < 95 for rate in rates)
    (asked,) = read_rows(rows, _CountedRow)
    assert asked.count > 2 and 0 < asked.middle_ns <= asked.late_ns <= asked.longest_ns


def test_all_of_it_repeats(text: str, program: Path, tmp_path: Path) -> None:
    assert tried(tmp_path, BOARD, program) == text


def derived(folder: Path, link: str, rate: int) -> str:
    """The file of the board with that link and rate, and a latency that leaves it idle."""
    board = tomllib.loads(Path(rich_board(BOARD)).read_text())
    board["network"]["link"] = link
    board["network"]["wire"]["rate"] = rate
    board["network"]["latency"]["one_way_us"] = LATENCY_S * 1e6
    path = folder / f"{link}.toml"
    path.write_text(tomli_w.dumps(board))
    return str(path)


def test_frames_take_the_time_of_their_wire(text: str, program: Path, tmp_path: Path) -> None:
    fast = tried(tmp_path, derived(tmp_path, "parallel", 100_000_000), program)
    slow = tried(tmp_path, derived(tmp_path, "waited", 10_000_000), program)
    slower = []
    for size in (SMALL, LARGE):
        _, near = echoed(text, size, 1)
        (_, fast_s), (_, slow_s) = echoed(fast, size, 1), echoed(slow, size, 1)
        wire = on_the_wire(size, 1e8)
        assert near > 2 * wire
        # On the board as it is, frames come while it still works on what it has sent.
        assert fast_s - near == pytest.approx(2 * LATENCY_S, abs=5e-5)
        slower.append(slow_s - fast_s)
    # Both are idle until it comes. What the processor does besides is for a frame, of any size.
    longer = on_the_wire(LARGE, 1e8) - on_the_wire(SMALL, 1e8)
    assert slower[1] - slower[0] == pytest.approx(2 * 9 * longer, rel=0.01)
    # A frame after the other, the slow wire is the bottleneck.
    all_s, _ = echoed(slow, LARGE, 8)
    assert all_s == pytest.approx((ECHOES - 1) * on_the_wire(LARGE, 1e7), rel=0.02)

    # Its driver has waited for the link before the board's first program.
    assert seconds(slow, "opened") - seconds(text, "opened") == pytest.approx(
        NEGOTIATION_S, abs=0.02
    )
    assert seconds(slow, "linked") - seconds(slow, "opened") < 0.2
    assert slow.splitlines()[1] == "1"
