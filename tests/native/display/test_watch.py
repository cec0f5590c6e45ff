# SPDX-License-Identifier: Apache-2.0
"""The watcher on a display of its own, beside a program that tells when it drew."""

import base64
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from perfboard.bench.display.rows import ExitRow, TaskRow
from perfboard.measures.display.films import pictures_of
from perfboard.model.blocks import Picture
from perfboard.model.rows import RefusedRow, read_rows
from tests.support.killed import has_ended

from ..sanitized import ROOT, compile_sanitized

DISPLAY = ROOT / "native" / "display"
HERE = Path(__file__).parent
NEEDED = ("Xvfb", "matchbox-window-manager")
pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, NEEDED)),
    reason=f"wants {' and '.join(NEEDED)}: Debian's xvfb and matchbox-window-manager",
)
# What each watcher is compiled of.
WATCHER = (
    *("-D_GNU_SOURCE", "-I..", "../rows/row.c"),
    *sorted(path.name for path in DISPLAY.glob("*.c")),
)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("display")
    # Files of the test's stand for the kernel's.
    own = ('-DVMSTAT="vmstat"', '-DDROP_CACHES="caches"', '-DKMSG="kmsg"')
    compile_sanitized(folder / "watch", DISPLAY, *own, *WATCHER)
    painter = ("-I..", HERE / "painter.c", "clock.c")
    compile_sanitized(folder / "painter", DISPLAY, "-D_GNU_SOURCE", *painter)
    return folder


def watch(
    tools: Path,
    folder: Path,
    *lines: str,
    how: tuple[str, ...] = (),
    first: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """What the watcher says of the plan; `first` has programs that are found before others."""
    path = os.environ["PATH"]
    return subprocess.run(
        [tools / "watch", "640", "480", *how],
        cwd=folder,
        env={**os.environ, "PATH": f"{first}:{path}" if first else path},
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def paint(tools: Path, label: str, *when: str) -> str:
    return f"start {label} {tools}/painter {label}.times {' '.join(when)}"


def tasks(output: str) -> dict[str, list[TaskRow]]:
    found: dict[str, list[TaskRow]] = {}
    for row in read_rows(output, TaskRow):
        found.setdefault(row.label, []).append(row)
    return found


def exits(output: str) -> list[tuple[str, str, str]]:
    return [(row.label, row.outcome, row.reason) for row in read_rows(output, ExitRow)]


def rows(output: str, name: str) -> list[dict[str, Any]]:
    """The members of all rows of that name."""
    found = map(json.loads, output.splitlines())
    return [each for each in found if each.pop("row") == name]


def trouble(output: str) -> str:
    """Why the display cannot be watched, where that is all that was printed."""
    (row,) = read_rows(output, RefusedRow)
    assert len(output.splitlines()) == 1 and row.what == "the display"
    return row.why


def shown(picture: Picture) -> bytes:
    """The picture's file, which has a quarter of the screen's sides."""
    data = base64.b64decode(picture.png)
    assert struct.unpack(">II", data[16:24]) == (160, 120)
    return data


def drawn(path: Path) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in (line.split() for line in path.read_text().splitlines())]


def test_a_pixel_is_never_seen_before_it_is_drawn(tools: Path, tmp_path: Path) -> None:
    lines = [
        "quiet 300",
        paint(tools, "soon", "10", "50"),
        "end",
        paint(tools, "late", "10", "250"),
    ]
    done = watch(tools, tmp_path, *lines)
    assert done.returncode == 0, done.stdout + done.stderr
    found = tasks(done.stdout)
    for label in ("soon", "late"):
        (task,) = found[label]
        last = drawn(tmp_path / f"{label}.times")[-1]
        assert task.outcome == "ok"
        seen = task.began_ns + task.stable_ns
        # The machine may be busy, so that no time is asked for: only the order.
        assert last[0] <= seen
    assert not list(tmp_path.glob("Xvfb*"))


def test_what_measures_itself_runs_to_its_end_and_is_not_watched(
    tools: Path, tmp_path: Path
) -> None:
    plan = ["limit 3000", "run whole true", "run failed false", "run none no-such-program"]
    done = watch(tools, tmp_path, *plan, "limit 300", "run endless sleep 60", "end")
    assert done.returncode == 0, done.stdout + done.stderr
    assert exits(done.stdout) == [
        ("whole", "ok", ""),
        ("failed", "ok", ""),
        ("none", "refused", "there is no no-such-program"),
        ("endless", "refused", "it has not ended"),
    ]
    assert not tasks(done.stdout)


def test_a_reference_is_of_as_many_pictures_as_the_plan_wants(tools: Path, tmp_path: Path) -> None:
    once = (paint(tools, "one", "10"), "end")
    done = watch(tools, tmp_path, "quiet 100 200", "reference page 1", *once, f"?{once[0]}", *once)
    assert [task.outcome for task in tasks(done.stdout)["one"]] == ["calibration", "ok"]
    assert watch(tools, tmp_path, "reference page 0").returncode == 1


@pytest.mark.parametrize("late", [410, 910])
def test_what_draws_late_is_told_by_its_reference(tools: Path, tmp_path: Path, late: int) -> None:
    """Without one, 900 ms of nothing are taken for the end; with it, neither they nor 400 are."""
    when = ("10", str(late))
    plan = ["quiet 300 1200", paint(tools, "blind", *when), "end", "reference page"]
    for _ in range(4):
        plan += [paint(tools, "sighted", *when), "end"]
    # Another picture: it is refused, and its reason tells where.
    plan += ["limit 1500", paint(tools, "sighted", "10", "20", "30"), "end"]
    done = watch(tools, tmp_path, *plan)
    found = tasks(done.stdout)
    assert found["blind"][0].outcome == "ok"
    assert found["blind"][0].stable_ns < 700e6
    outcomes = [task.outcome for task in found["sighted"]]
    assert outcomes == ["calibration"] * 3 + ["ok", "refused"]
    assert found["sighted"][3].stable_ns > late * 1e6
    assert "another picture than its reference" in found["sighted"][4].reason
    # The third calibration is filmed, and so is what was refused.
    films = pictures_of(done.stdout)
    strip = films["page"]
    assert [picture.moment for picture in strip] == ["first", "half", "final", "stable"]
    times = [picture.time_s for picture in strip]
    assert times == sorted(times) and times[0] < late / 1e3 < times[-1]
    first, last, refused = (shown(each) for each in (strip[0], strip[-1], films["sighted"][0]))
    assert films["sighted"][0].moment == "refused" and len({first, last, refused}) == 3


def test_with_a_scope_it_looks_at_no_pixel_and_tells_its_steps(tools: Path, tmp_path: Path) -> None:
    plan = ("mask 1 2 3 4", "quiet 100", paint(tools, "soon", "10"), "close exit 7", "end")
    # What Xvfb says where another one has the first display is not why this fails.
    (tmp_path / "programs.log").write_text("server already running\n")
    done = watch(tools, tmp_path, *plan, how=("scope",))
    if rows(done.stdout, "refused"):
        # Only who may do anything learns where memory lies.
        assert trouble(done.stdout) == "the kernel does not say where the screen's memory is"
        return
    assert rows(done.stdout, "mask") == [{"x": 1, "y": 2, "x1": 3, "y1": 4}]
    assert not tasks(done.stdout)
    (soon,), (left,) = rows(done.stdout, "watched"), rows(done.stdout, "left")
    names = ("label", "outcome", "reference", "quiet_ns", "reason")
    assert [soon[name] for name in names] == ["soon", "ok", "-", 100_000_000, ""]
    steps = [row[name] for row in (soon, left) for name in ("begin", "end")]
    assert steps == sorted(steps) and left["outcome"] == "ok"


def test_with_a_scope_what_waits_for_a_disk_has_not_ended(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "vmstat").write_text("pgpgin 1000\nworkingset_refault_file 7\n")
    (tmp_path / "reads").write_text(
        "#!/bin/sh\n"
        "for n in 1 2 3 4 5 6 7 8 9; do\n"
        '    printf "pgpgin %s\\nworkingset_refault_file %s000\\n" 20$n $n > new && mv new vmstat\n'
        "    sleep 0.2\n"
        "done\nexec sleep 60\n"
    )
    (tmp_path / "reads").chmod(0o700)
    start = f"start {{}} {tmp_path}/reads"
    plan = ("quiet 300", "limit 1200", start.format("early"), "end", "limit 9000")
    done = watch(tools, tmp_path, *plan, start.format("late"), "end", how=("scope",))
    if not rows(done.stdout, "refused"):
        words = r"use \d+ %; memory is short: the kernel read \d\d MB again that it had dropped"
        early, late = rows(done.stdout, "watched")
        assert early["outcome"] == "refused" and re.search(words, early["reason"])
        assert (late["label"], late["outcome"]) == ("late", "ok"), done.stdout


def test_what_never_settles_names_its_pixels(tools: Path, tmp_path: Path) -> None:
    done = watch(tools, tmp_path, "limit 1000", paint(tools, "caret", "10:5000"), "end")
    (task,) = tasks(done.stdout)["caret"]
    assert task.outcome == "refused"
    assert re.fullmatch(
        r"not stable: 20 pixels at \[\d+, \d+\] to \[\d+, \d+\] keep changing", task.reason
    )


def test_what_moves_the_pointer_forgets_the_looks_of_the_task_before(
    tools: Path, tmp_path: Path
) -> None:
    """The sanitizers tell if it does not."""
    plan = ("quiet 300", paint(tools, "soon", "10", "50", "90"), "move 9 9", "memory end", "end")
    done = watch(tools, tmp_path, *plan)
    assert done.returncode == 0, done.stderr
    found = {row["of"]: row for row in rows(done.stdout, "memory")}
    assert set(found) == {"program", "server", "system"}
    total = re.search(r"MemTotal: +(\d+) kB", Path("/proc/meminfo").read_text())
    assert total and 0 < found["system"]["free_kb"] < int(total[1])


def test_pages_are_served_to_several_at_once_and_no_other_file_is(
    tools: Path, tmp_path: Path
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_bytes(b"page" * 100_000)
    (tmp_path / "pages" / "b.png").write_bytes(b"picture")
    (tmp_path / "pages" / "link.html").symlink_to(tmp_path / "xauthority")
    with subprocess.Popen(
        [tools / "watch", "640", "480"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as watcher:
        assert watcher.stdin and watcher.stdout
        watcher.stdin.write("serve pages\npress ff0d\naddress a.html\nmemory served\n")
        watcher.stdin.flush()
        (served,) = rows(watcher.stdout.readline(), "memory")
        assert (served["of"], served["rss_kb"]) == ("program", 0)
        (port,) = {
            one.laddr.port
            for child in psutil.Process(watcher.pid).children(recursive=True)
            for one in child.net_connections()
            if one.status == psutil.CONN_LISTEN and one.laddr.ip == "127.0.0.1"
        }

        def get(path: str) -> bytes:
            request = f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                connection.sendall(request)
                return b"".join(iter(lambda: connection.recv(1 << 16), b""))

        # One that says nothing holds up nobody.
        with socket.create_connection(("127.0.0.1", port), timeout=20):
            head, _, body = get("/a.html?n=7").partition(b"\r\n\r\n")
        assert b"Content-Type: text/html" in head and b"Content-Length: 400000" in head
        assert body == b"page" * 100_000
        # A browser may keep a picture, and has to ask for each page.
        assert b"Cache-Control" not in head
        assert b"Cache-Control: max-age=86400\r\n" in get("/b.png")
        for other in ("/../xauthority", "/link.html", "/none.html", "/", "/..", "/" + "a" * 70):
            assert get(other).startswith(b"HTTP/1.0 404 "), other
        output, _ = watcher.communicate(timeout=30)
    assert watcher.returncode == 0
    assert [row["name"] for row in rows(output, "get")] == ["a.html", "b.png"]


NETWORK = """#!{python}
import pathlib, socket
with socket.create_server(("127.0.0.1", 0)) as own:
    socket.create_connection(own.getsockname(), timeout=9).close()
names = [name for _, name in socket.if_nameindex()]
pathlib.Path("seen").write_text(" ".join(names))
"""


def test_programs_reach_loopback_and_no_other_network(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "asks").write_text(NETWORK.format(python=sys.executable))
    (tmp_path / "asks").chmod(0o700)
    pages = tmp_path / "pages"
    pages.mkdir()
    plan = (f"serve {pages}", "run asks ./asks", paint(tools, "soon", "10"), "end")
    done = watch(tools, tmp_path, "quiet 300", *plan, "memory soon", how=("alone",))
    (asked,) = read_rows(done.stdout, ExitRow)
    assert asked.outcome == tasks(done.stdout)["soon"][0].outcome == "ok"
    allowed = any(
        not subprocess.run(["unshare", how, "true"], capture_output=True, check=False).returncode
        for how in ("-n", "-rn")
    )
    assert "uss_kb" in rows(done.stdout, "memory")[1]
    assert not allowed or (tmp_path / "seen").read_text() == "lo"


def test_a_program_that_ends_or_is_not_there_is_told(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "killed").write_text("#!/bin/sh\nkill -SEGV $$\n")
    (tmp_path / "killed").chmod(0o700)
    done = watch(tools, tmp_path, "start crash ./killed", "start none ./nothing", "start calm true")
    found = tasks(done.stdout)
    assert found["crash"][0].reason == "killed was ended by signal 11 (Segmentation fault)"
    assert found["none"][0].reason == "there is no ./nothing"
    assert found["calm"][0].reason == "true ended by itself with status 0"


def test_a_program_that_asks_or_opens_two_windows_is_refused(tools: Path, tmp_path: Path) -> None:
    plan = []
    for label, windows in (("one", "window"), ("two", "window window"), ("asks", "window dialog")):
        plan += [f"start {label} {tools}/painter {label}.times {windows}", "end"]
    done = watch(tools, tmp_path, "quiet 300", *plan)
    found = {label: tasks(done.stdout)[label][0] for label in ("one", "two", "asks")}
    assert found["one"].outcome == "ok", found["one"].reason
    assert found["two"].reason == "2 windows are open, where 1 should be"
    assert found["asks"].reason == "it asks: a dialog is open"


def test_a_program_that_ends_later_is_told_at_once(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "weak").write_text(
        f"#!/bin/sh\n{tools}/painter weak.times 10 & sleep 2\nkill $!\n"
        "echo no room\nkill -ABRT $$\n"
    )
    (tmp_path / "weak").chmod(0o700)
    plan = ("quiet 300", "start weak ./weak", *["pause 900"] * 3, "key open ff0d", "close left 0")
    began = time.monotonic()
    done = watch(tools, tmp_path, *plan)
    # A task's limit is a minute.
    assert time.monotonic() - began < 40
    found = tasks(done.stdout)
    assert found["weak"][0].outcome == "ok"
    why = "weak was ended by signal 6 (Aborted): no room"
    assert found["open"][0].reason == why
    assert ("left", "refused", why) in exits(done.stdout)


def test_a_program_that_hangs_ends_the_plan_soon(tools: Path, tmp_path: Path) -> None:
    hangs = ("start hangs sleep 1000", "end") * 6
    done = watch(tools, tmp_path, "quiet 100", "limit 1000", "reference start", *hangs)
    assert done.returncode == 0
    reasons = [task.reason for task in tasks(done.stdout)["hangs"]]
    assert reasons == ["no pixel changed in 1 s"] * 3


def test_caches_are_dropped_before_a_start_or_it_is_left_out_with_the_reason(
    tools: Path, tmp_path: Path
) -> None:
    cold = ("drop start.cold", f"!{paint(tools, 'cold', '10')}", "!end")
    refused = watch(tools, tmp_path, *cold)
    reason = "the target's caches cannot be dropped: No such file or directory"
    assert rows(refused.stdout, "absent") == [{"metric": "start.cold", "why": reason}]
    assert refused.returncode == 0 and not tasks(refused.stdout)
    (tmp_path / "caches").touch()
    done = watch(tools, tmp_path, *cold, *cold)
    assert [task.outcome for task in tasks(done.stdout)["cold"]] == ["ok", "ok"]
    assert (tmp_path / "caches").read_text() == "3" and not rows(done.stdout, "absent")


def test_who_was_killed_for_want_of_memory_is_told(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "large").write_text("#!/bin/sh\necho oom_kill 1 > vmstat\nkill -KILL $$\n")
    (tmp_path / "child").write_text(
        f"#!/bin/sh\necho oom_kill 2 > vmstat\nexec {tools}/painter c.times 10\n"
    )
    for name in ("large", "child"):
        (tmp_path / name).chmod(0o700)
    (tmp_path / "vmstat").write_text("pgfault 5\noom_kill 0\n")
    killed = "3,51,9,-;Out of memory: Killed process {} ({}) total-vm:9kB\n"
    (tmp_path / "kmsg").write_text(killed.format(7, "other") + killed.format(8, "renderer"))
    done = watch(tools, tmp_path, "quiet 300", "start a ./large", "start b ./child", "end")
    found = tasks(done.stdout)
    assert found["a"][0].reason == "memory ended, and the kernel killed large"
    assert found["b"][0].reason == "memory ended, and the kernel killed renderer"


def test_a_clock_that_is_set_meanwhile_changes_no_time(tools: Path, tmp_path: Path) -> None:
    wrapped = [f"-Wl,--wrap={name}" for name in ("clock_gettime", "time", "gettimeofday")]
    compile_sanitized(tmp_path / "watch", DISPLAY, *wrapped, *WATCHER, HERE / "set_clock.c")
    (tmp_path / "painter").symlink_to(tools / "painter")
    done = watch(tmp_path, tmp_path, "quiet 300", paint(tmp_path, "late", "10", "250"), "end")
    (task,) = tasks(done.stdout)["late"]
    assert task.outcome == "ok"
    last = drawn(tmp_path / "late.times")[-1]
    assert last[0] <= task.began_ns + task.stable_ns < last[1] + 20e9


def test_a_server_that_fails_is_told_with_its_words(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "Xvfb").write_text("#!/bin/sh\necho 'Fatal: no \"röom\"' >&2\nexit 1\n")
    (tmp_path / "Xvfb").chmod(0o700)
    done = watch(tools, tmp_path, first=tmp_path)
    assert done.returncode == 1
    assert trouble(done.stdout) == 'Xvfb does not start: Fatal: no "röom"'


def test_a_server_that_hangs_is_told(tmp_path: Path) -> None:
    compile_sanitized(tmp_path / "watch", DISPLAY, "-DSERVER_MS=1000", *WATCHER)
    (tmp_path / "Xvfb").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "Xvfb").chmod(0o700)
    done = watch(tmp_path, tmp_path, first=tmp_path)
    assert trouble(done.stdout) == "Xvfb has not started in 1 s" and done.returncode == 1


def test_two_at_once_have_displays_of_their_own(tools: Path, tmp_path: Path) -> None:
    plan = "quiet 300\nstart one ./tells\nend\n"
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
        (folder / "tells").write_text(
            f"#!/bin/sh\necho $DISPLAY > display\nexec {tools}/painter one.times 10 500\n"
        )
        (folder / "tells").chmod(0o700)
    both = [
        subprocess.Popen(
            [tools / "watch", "640", "480", "alone"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for folder in folders
    ]
    for one in both:
        assert one.stdin
        one.stdin.write(plan)
        one.stdin.flush()
    for one in both:
        output, _ = one.communicate(timeout=60)
        assert tasks(output)["one"][0].outcome == "ok"
    assert len({(folder / "display").read_text() for folder in folders}) == 2


def test_a_display_server_that_dies_is_told(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "murders").write_text("#!/bin/sh\nkill -KILL $(pgrep -P $PPID Xvfb)\nsleep 9\n")
    (tmp_path / "murders").chmod(0o700)
    done = watch(tools, tmp_path, "start one ./murders", "start two true")
    why = "the display server was ended by signal 9 (Killed)"
    assert done.returncode == 1 and trouble(done.stdout) == f"start one: {why}"


@pytest.mark.parametrize("how", [(), ("scope",)])
def test_a_window_manager_that_is_killed_is_told_at_once(
    tools: Path, tmp_path: Path, how: tuple[str, ...]
) -> None:
    (tmp_path / "murders").write_text(
        f"#!/bin/sh\nkill -KILL $(pgrep -P $PPID matchbox)\nexec {tools}/painter a.times 10:50000\n"
    )
    (tmp_path / "murders").chmod(0o700)
    began = time.monotonic()
    done = watch(tools, tmp_path, "reference one", *("start one ./murders", "end") * 6, how=how)
    if how and trouble(done.stdout).startswith("the kernel does not say"):
        return
    # Six of the plan's tasks would take a minute each.
    assert time.monotonic() - began < 40 and done.returncode == 1
    why = "the window manager was ended by signal 9 (Killed)"
    assert trouble(done.stdout) == f"start one: {why}"


def test_a_watcher_that_is_killed_leaves_nothing_and_its_status_says_so(
    tools: Path, tmp_path: Path
) -> None:
    (tmp_path / "murders").write_text(
        "#!/bin/sh\nsleep 600 & echo $! > child\nkill -KILL $PPID\nwait\n"
    )
    (tmp_path / "murders").chmod(0o700)
    done = watch(tools, tmp_path, "start one ./murders")
    assert (done.returncode, done.stdout) == (128 + signal.SIGKILL, "")
    assert has_ended(int((tmp_path / "child").read_text()))


def test_one_crash_among_many_is_one_refused_sample(tools: Path, tmp_path: Path) -> None:
    """What is asked of a program that is not there is refused, and the plan goes on."""
    once = (f"start one {tools}/painter one.times window", "close left 0", "end")
    plan = ("limit 2000", "start bad false", "raise back 0", "close gone 0", "end")
    mute = ("start mute sleep 9", "close mute 0", "end")
    done = watch(tools, tmp_path, "quiet 300", *plan, *once, *mute)
    assert done.returncode == 0, done.stdout
    found, why = tasks(done.stdout), "false ended by itself with status 1"
    assert [found[label][0].reason for label in ("bad", "back")] == [why] * 2
    told = exits(done.stdout)
    assert ("gone", "refused", why) in told
    assert ("mute", "refused", "sleep has no window") in told
    assert found["one"][0].outcome == "ok"


def test_a_window_manager_that_fails_is_told_at_once(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "matchbox-window-manager").write_text("#!/bin/sh\necho no theme; exit 1\n")
    (tmp_path / "matchbox-window-manager").chmod(0o700)
    began = time.monotonic()
    done = watch(tools, tmp_path, "start one true", first=tmp_path)
    # Its time is 20 s.
    assert time.monotonic() - began < 15
    assert trouble(done.stdout) == "matchbox-window-manager does not start: no theme"


def test_a_line_that_cannot_be_obeyed_ends_the_plan(tools: Path, tmp_path: Path) -> None:
    done = watch(tools, tmp_path, "raise window 3", "start later true")
    assert done.returncode == 1 and trouble(done.stdout).startswith("raise window")


def test_without_tls_no_page_is_served_over_it(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    done = watch(tools, tmp_path, "serve pages .")
    assert done.returncode == 1 and trouble(done.stdout) == "serve pages: cannot be done"


def test_a_killed_watcher_leaves_nothing(tools: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [tools / "watch", "640", "480"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as watcher:
        assert watcher.stdin and watcher.stdout
        watcher.stdin.write(f"{paint(tools, 'long', '10')}\n".encode())
        watcher.stdin.flush()
        watcher.stdout.readline()
        below = psutil.Process(watcher.pid).children(recursive=True)
        assert {"Xvfb", "painter"} <= {each.name() for each in below}
        os.killpg(watcher.pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while any(each.is_running() for each in below) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(each.is_running() for each in below)
