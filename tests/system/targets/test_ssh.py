# SPDX-License-Identifier: Apache-2.0
"""The probe on boards over ssh: real servers on loopback, and all that can be wrong there."""

import platform
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from perfboard.binaries.probes import all_probes
from perfboard.targets.pipe.ssh import options
from tests.support.runs import processes_of

from ..conftest import Here, running_from, until
from ..probes.test_standard import check_standard
from .ssh_boards import dropbear, free_port, introduce, make_key, memory_group, sshd

ALONE = ("measure", "kernel.syscall", "--target", "ssh://board", "--time")
LONG = ("measure", "kernel.syscall", "ipc.pipe", "--target", "ssh://board", "--time", "60")


def sessions(server: psutil.Process) -> list[psutil.Process]:
    return [p for p in server.children(recursive=True) if p.name().startswith("sshd")]


def past_the_first_probe(here: Here) -> None:
    first = until(lambda: here.running("kernel.syscall", "ipc.pipe"))
    until(lambda: None if psutil.pid_exists(first.pid) else True)
    until(lambda: here.running("kernel.syscall", "ipc.pipe"))


def force(here: Here, script: str) -> str:
    """A line for sshd: every session runs `script`, which finds in $run what it was asked for."""
    path = here.place.parent / "forced"
    path.write_text(f"#!/bin/sh\nrun=$SSH_ORIGINAL_COMMAND\n{script}\n")
    path.chmod(0o755)
    return f"ForceCommand {path}"


def test_a_board_with_openssh_gives_the_same(here: Here) -> None:
    with sshd(here):
        run = here.json("study", "standard", "--target", "ssh://board", "--time", "5")
        check_standard(here, run, {probe.name for probe in all_probes()})
        assert (run["evidence"], run["target"]) == ("silicon", "ssh://board")
        assert run["board"]["facts"]["kernel"] == platform.release()
        assert run["provenance"]["tools"]["ssh"].startswith("OpenSSH")
        until(here.left_clean)


def test_a_board_with_dropbear_and_busybox_gives_the_same(here: Here) -> None:
    probes = {probe.name for probe in all_probes()}
    with dropbear(here):
        run = here.json("study", "standard", "--target", "ssh://root@board", "--time", "5")
        check_standard(here, run, probes)
        until(here.left_clean)


def test_a_board_of_16_mb_is_never_driven_out_of_memory(here: Here) -> None:
    meminfo = "MemTotal: 16384 kB\nMemFree: 5000 kB\nMemAvailable: 9000 kB\nCached: 4000 kB\n"
    probes = ("memory.latency", "memory.bandwidth", "ipc.switch", "file.read", "kernel.syscall")
    words = ("measure", *probes, "--target", "ssh://root@board", "--time", "6")
    with memory_group(16 << 20) as group, dropbear(here, group, meminfo):
        run = here.json(*words)
        until(here.left_clean)
    assert run["status"] == "complete"
    refused = " ".join(process["refused"] or "" for process in processes_of(run))
    assert "killed" not in refused
    measured = {metric["name"] for metric in run["metrics"]}
    assert {"memory.latency", "memory.bandwidth", "kernel.syscall"} <= measured
    sizes = [int(m["labels"].get("size", 0)) for m in run["metrics"] if "memory" in m["name"]]
    assert max(sizes) < 9000 << 10


def test_a_probe_that_the_kernel_kills_for_memory_is_reported(here: Here) -> None:
    # It believes that it has all of this machine's, and its group may have 12 MB.
    words = ("measure", "memory.latency", "kernel.syscall", "--target", "ssh://root@board")
    with memory_group(12 << 20) as group, dropbear(here, group):
        run = here.json(*words, "--time", "8", code=5)
        until(here.left_clean)
    assert run["status"] == "complete"
    (killed,) = [p for p in processes_of(run) if p["probe"] == "memory.latency"]
    assert "SIGKILL" in killed["refused"]
    assert "lack of memory" in killed["refused"]
    assert "kernel.syscall" in {metric["name"] for metric in run["metrics"]}


def test_a_lost_connection_keeps_what_was_measured_and_leaves_nothing(here: Here) -> None:
    with sshd(here) as server:
        process = here.start(*LONG)
        past_the_first_probe(here)
        for session in sessions(server):
            session.kill()
        run = here.finish(process, 4)
        assert run["status"] == "failed"
        assert run["errors"][0]["kind"] == "lost"
        assert processes_of(run)
        until(here.left_clean)


def test_no_second_connection_is_made_for_one_that_is_lost(here: Here) -> None:
    with sshd(here):
        process = here.start(*LONG)
        past_the_first_probe(here)
        # The shared connection goes, and a board that booted meanwhile would answer a new one.
        for child in psutil.Process(process.pid).children():
            words = child.cmdline()
            if "ControlMaster=yes" in words:
                Path(words[words.index("-S") + 1]).unlink()
        for program in running_from(here.place):
            # Without its connection it may have ended by itself.
            with suppress(psutil.NoSuchProcess):
                program.kill()
        run = here.finish(process, 4)
        assert run["errors"][0]["kind"] == "lost"
        assert processes_of(run)


def test_a_board_that_freezes_is_lost(here: Here) -> None:
    with sshd(here) as server:
        process = here.start(*LONG)
        past_the_first_probe(here)
        # All of it: else a new connection would find the board alive.
        frozen = [server, *sessions(server)]
        for session in frozen:
            session.suspend()
        run = here.finish(process, 4)
        assert run["errors"][0]["kind"] == "lost"
        assert "A board that hangs" in run["errors"][0]["message"]
        assert processes_of(run)
        for session in frozen:
            session.resume()
        until(here.left_clean)


def test_a_killed_command_leaves_nothing_on_the_board(here: Here) -> None:
    with sshd(here):
        process = here.start(*LONG)
        past_the_first_probe(here)
        process.kill()
        process.communicate(timeout=60)
        until(here.left_clean)


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "lost"])
def test_a_copy_that_is_cut_short_leaves_nothing(here: Here, killed: bool) -> None:
    # The probes' names are first asked of this machine, whose probe is copied there too.
    begun = here.place.parent / "begun"
    slow = f'{{ head -c 1000; >{begun}; sleep 60; }} | sh -c "$run"'
    script = f'case $run in *"cat >"*) {slow};; *) exec sh -c "$run";; esac'
    with sshd(here, force(here, script)) as server:
        process = here.start(*LONG)
        until(begun.exists)
        until(lambda: any(here.place.glob("*/perfboard-probe")))
        for ended in [process] if killed else sessions(server):
            ended.kill()
        process.communicate(timeout=60)
        assert killed or process.returncode == 4
        until(here.left_clean)


def test_a_board_that_is_not_there(here: Here) -> None:
    introduce(here, free_port(), "ssh-ed25519 none")
    said = here(*ALONE, "1", code=3).stderr
    assert "ssh://board cannot be reached" in said
    assert "Connection refused" in said
    assert f"Try: ssh -F {here.environment['PERFBOARD_SSH_CONFIG']} board" in said
    assert here.json("runs") == []


def test_a_board_cannot_use_what_the_user_forwards(tmp_path: Path, here: Here) -> None:
    introduce(here, free_port(), "ssh-ed25519 none")
    file = here.environment["PERFBOARD_SSH_CONFIG"]
    with Path(file).open("a") as more:
        more.write(" ForwardAgent yes\n ForwardX11 yes\n")
    said = [
        subprocess.run(["ssh", *words, "-G", "board"], check=True, capture_output=True, text=True)
        for words in (["-F", file], ["-F", file, *options(tmp_path / "s")])
    ]
    user, ours = (set(done.stdout.splitlines()) for done in said)
    assert {"forwardagent yes", "forwardx11 yes"} <= user
    assert {"forwardagent no", "forwardx11 no"} <= ours


def forget(folder: Path) -> None:
    (folder / "known").write_text("")


def mistake(folder: Path) -> None:
    make_key(folder / "other")
    place, _, _ = (folder / "known").read_text().split()
    kind, key, _ = (folder / "other.pub").read_text().split()
    (folder / "known").write_text(f"{place} {kind} {key}\n")


def lose_key(folder: Path) -> None:
    (folder / "key").unlink()
    (folder / "key.pub").rename(folder / "was.pub")
    make_key(folder / "key")
    (folder / "key.pub").unlink()
    (folder / "was.pub").rename(folder / "key.pub")


@pytest.mark.parametrize(
    ("change", "cure"),
    [
        (forget, "host key of ssh://board is not known here"),
        (mistake, "shows another host key than before"),
        (lose_key, "does not let you in. Perfboard asks for no password"),
    ],
)
def test_a_key_that_is_not_right(here: Here, change: Callable[[Path], None], cure: str) -> None:
    with sshd(here):
        change(here.place.parent)
        said = here(*ALONE, "1", code=3).stderr
        assert cure in said
        assert here.json("runs") == []
        until(here.left_clean)


@pytest.mark.parametrize(
    "script",
    [
        'echo "*** Welcome ***"; echo "No trespassing." >&2; exec sh -c "$run"',
        '{ tee /dev/fd/3 | sh -c "$run"; } 3>&1',
        'sh -c "$run"; code=$?; echo "Good bye."; exit $code',
    ],
    ids=["banner", "echo", "farewell"],
)
def test_a_shell_that_says_more_than_it_is_asked(here: Here, script: str) -> None:
    with sshd(here, force(here, script)):
        run = here.json(*ALONE, "2")
        assert run["status"] == "complete"
        assert run["metrics"]
        until(here.left_clean)


def test_a_login_without_a_shell(here: Here) -> None:
    script = "printf '\\033[31mThis account is not available.'; exit 1"
    with sshd(here, force(here, script)):
        said = here(*ALONE, "1", code=3).stderr
        assert "\x1b" not in said
        assert "gives no POSIX shell" in said
        assert "This account is not available." in said


@pytest.mark.parametrize("shell", ["tcsh", "double"])
def test_a_login_that_is_a_c_shell(here: Here, shell: str) -> None:
    if shell == "tcsh" and shutil.which(shell) is None:
        pytest.skip("no tcsh here; on Debian: apt-get install tcsh")
    double = """case $run in *"\n"*) echo "Unmatched '." >&2; exit 1;; esac; exec sh -c "$run\""""
    with sshd(here, force(here, double if shell == "double" else 'exec tcsh -f -c "$run"')):
        said = here(*ALONE, "1", code=3).stderr
        assert "gives no POSIX shell" in said
        assert "Unmatched '" in said


def test_a_login_that_is_fish(here: Here) -> None:
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("no fish here; on Debian: apt-get install fish")
    with sshd(here, force(here, f'exec {fish} --no-config -c "$run"')):
        assert here.json(*ALONE, "2")["status"] == "complete"
        until(here.left_clean)


def test_a_board_on_which_copies_always_arrive_damaged(here: Here) -> None:
    longer = 'case $run in *"cat >"*) { cat; echo; } | sh -c "$run";; *) exec sh -c "$run";; esac'
    with sshd(here, force(here, longer)):
        said = here(*ALONE, "1", code=4).stderr
        assert "The probe arrives damaged on ssh://board, 3 times in a row" in said
        assert here.json("runs") == []
        until(here.left_clean)
