# SPDX-License-Identifier: Apache-2.0
"""Traces of the kernel, as ftrace, perf and trace-cmd wrote them: marks, initcalls, GPIO edges."""

import gzip
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.formats.trace import trace_event
from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer, importers
from perfboard.model.errors import EnvironmentLacksError, UsageError
from tests.support.boots import hold
from tests.support.recorded import DATA

TRACES = DATA / "import" / "traces"
BOOT = b"""\
# tracer: nop
          <idle>-0       [000] d....     0.000001: sched_init <-start_kernel
       swapper/0-1       [000] .....     0.100000: initcall_start: func=physmap_init+0x0/0x60
       swapper/0-1       [000] .....     0.142000: initcall_finish: func=physmap_init+0x0/0x60 ret=0
       swapper/0-1       [000] .....     0.300000: console: [    0.299990] VFS: Mounted root (ext4)
       swapper/0-1       [000] .....     0.400000: run_init_process <-kernel_init
            init-1       [001] ...1.     0.500000: sched_process_exec: filename=/etc/S10net pid=1
           my app-77     [001] ...1.     0.600000: gpio_value: 17 set 1
           my app-77     [001] ...1.     0.700000: tracing_mark_write: perfboard: app.ready
           my app-77     [001] ...1.     0.700001: tracing_mark_write: some other words
           my app-77     [001] ...1.     0.800000: tracing_mark_write: usable
"""


def read(path: Path, channel: dict[str, tuple[str, ...]] | None = None) -> tuple[str, FileContent]:
    file = SavedFile(path)
    importer = choose_importer(file, "")
    imported = importer.read(file, ImportOptions(channel=channel or {}))
    for boot in imported.boots:
        hold(boot)
    return importer.name, imported


def times(imported: FileContent) -> dict[str, int]:
    return {mark.name: mark.t_ns for mark in imported.boots[0].marks}


def test_a_boots_trace_has_marks_and_initcalls(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(BOOT)
    name, imported = read(path, channel={"gpio17": ("led.on",)})
    assert name == "ftrace"
    assert times(imported) == {
        "kernel.sched_init": 0,
        "root.mounted": 299_999_000,
        "init.exec": 399_999_000,
        "exec:S10net": 499_999_000,
        "led.on": 599_999_000,
        "app.ready": 699_999_000,
        "usable": 799_999_000,
    }
    assert {mark.precision_ns for mark in imported.boots[0].marks} == {500}
    (span,) = imported.boots[0].spans
    assert (span.name, span.start_ns, span.duration_ns) == ("physmap_init", 99_999_000, 42_000_000)


def test_what_perf_wrote() -> None:
    name, imported = read(TRACES / "perf-script.txt")
    assert name == "perf-script"
    assert times(imported) == {"exec:w.sh": 0, "exec:true": 7_268_000, "exec:ls": 11_333_000}


def test_what_the_kernel_wrote() -> None:
    name, imported = read(TRACES / "ftrace.txt")
    assert name == "ftrace" and "usable" in times(imported)


@pytest.mark.skipif(shutil.which("trace-cmd") is None, reason="trace-cmd is not installed")
def test_what_trace_cmd_wrote_is_read_by_it_to_the_nanosecond(tmp_path: Path) -> None:
    path = tmp_path / "trace.dat"
    path.write_bytes(gzip.decompress((TRACES / "trace.dat.gz").read_bytes()))
    name, imported = read(path)
    assert name == "trace-dat"
    found = times(imported)
    assert (found["kernel.entry"], found["usable"]) == (513_310, 21_248_076)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(UsageError, match=r"trace\.dat: (trace-cmd cannot read it|has no event)"):
        read(path)


def test_without_trace_cmd_its_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trace.dat"
    path.write_bytes(b"\x17\x08\x44tracing6\0")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentLacksError, match="apt-get install trace-cmd"):
        read(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"# tracer: nop\n", "has no event"),
        (
            b"init-1 [000] ..... 1.000000: sched_switch: prev_comm=a\n",
            "none of its events is a mark",
        ),
        (BOOT + BOOT.replace(b"     0.", b"     9.") + BOOT, "its times go back at 0.000001"),
    ],
)
def test_what_cannot_be_used_is_said(text: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(text)
    with pytest.raises(UsageError, match=said):
        importers()["ftrace"].read(SavedFile(path), ImportOptions())


@pytest.mark.parametrize(
    ("line", "name", "text"),
    [
        (b"  kworker/0:1H-77  [000] d..3. 12.345678: sched_switch: prev", "sched_switch", "prev"),
        (b"chrh:  w.sh-2103  [000] 32093.043105: print:   filename=./w", "print", "filename=./w"),
        (b"swapper     0 [000]   123.456789:          1 sched:x_y: a=b", "x_y", "a=b"),
        (b"my app 12/13 [001] 1.000001: syscalls:sys_enter_read: fd: 1", "sys_enter_read", "fd: 1"),
        (b"bash-1994 (  1994) [000] d...1 1.234567: kinit <-ret_from_fork", "function", "kinit"),
    ],
)
def test_lines(line: bytes, name: str, text: str) -> None:
    event = trace_event(line)
    assert event is not None and (event.name, event.text) == (name, text)


@given(st.data())
def test_whatever_is_changed_in_a_trace_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    text = bytearray(data.draw(st.sampled_from((BOOT, (TRACES / "perf-script.txt").read_bytes()))))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=12))
    path = tmp_path_factory.mktemp("changed") / "trace"
    path.write_bytes(text)
    try:
        imported = importers()["ftrace"].read(SavedFile(path), ImportOptions())
    except UsageError:
        return
    for boot in imported.boots:
        hold(boot)
