# SPDX-License-Identifier: Apache-2.0
"""What a kernel could do without: the linker's map, the functions that ran, and Kconfig."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.record import boot_record
from perfboard.analysis.tune.slim import (
    EXPERT,
    Code,
    behaviour,
    most_allowed,
    read_link_map,
    switched_off,
    unused_options,
)

# As GNU ld 2.40 writes it.
MAP = """\
Archive member included to satisfy reference by file (symbol)

lib/sort.o                    kernel/main.o (sort)

Discarded input sections

 .text          0x00000000        0x8 kernel/left_out.o

Linker script and memory map

.text           0xc0100000     0x2000
 *(.text.hot .text.hot.*)
 .text          0xc0100000       0x40 kernel/main.o
                0xc0100010                do_fork
 *fill*         0xc0100040        0x8
 .text.unlikely.cold
                0xc0100048       0x10 kernel/main.o
 .text          0xc0100058        0x0 kernel/empty.o
 .sched.text    0xc0100100       0x20 lib/sort.o
 .rodata.str1.4
                0xc0180000       0x22 kernel/main.o
 .ARM.exidx.text.unlikely.cold
                0xc0190000        0x8 kernel/main.o
 .exit.text     0xc01a0000       0x10 drivers/card.o
 .init.text     0xc0200000       0x30 drivers/card.o
"""
CODE = [
    Code(0xC0100000, 0xC0100040, "kernel/main.o", False),
    Code(0xC0100048, 0xC0100058, "kernel/main.o", False),
    Code(0xC0100100, 0xC0100120, "lib/sort.o", False),
    Code(0xC01A0000, 0xC01A0010, "drivers/card.o", True),
    Code(0xC0200000, 0xC0200030, "drivers/card.o", True),
]


def test_the_code_of_a_link_map() -> None:
    assert read_link_map(MAP) == CODE
    assert read_link_map("") == []


def test_what_only_sets_itself_up_is_not_used() -> None:
    code = [*CODE, Code(0xC0300000, 0xC0300010, "drivers/card.o", False)]
    brought = {"CONFIG_CARD": frozenset({"drivers/card.o"}), "CONFIG_NONE": frozenset[str]()}
    assert unused_options(brought, code, [0xC0200000]) == ("CONFIG_CARD",)
    assert unused_options(brought, code, [0xC0300008]) == ()
    # Without code that lasts there is no telling.
    assert unused_options(brought, CODE, []) == ()


def test_addresses_outside_of_the_code_are_nobodys() -> None:
    brought = {"CONFIG_MAIN": frozenset({"kernel/main.o"})}
    ran = [0, 0xC0100040, 0xC0100058, 0xFFFF1024]
    assert unused_options(brought, CODE, ran) == ("CONFIG_MAIN",)


@given(
    st.lists(st.booleans(), min_size=1, max_size=12),
    st.dictionaries(st.sampled_from("ABCDE"), st.frozensets(st.integers(0, 11))),
    st.sets(st.integers(0, 11)),
    st.integers(0, 11),
)
def test_a_function_that_runs_spares_the_options_that_bring_it(
    once: list[bool], options: dict[str, frozenset[int]], ran: set[int], more: int
) -> None:
    code = [Code(16 * i, 16 * i + 16, f"{i}.o", flag) for i, flag in enumerate(once)]
    brought = {name: frozenset(f"{i}.o" for i in parts) for name, parts in options.items()}
    before = unused_options(brought, code, [16 * i for i in ran])
    after = unused_options(brought, code, [16 * i for i in {*ran, more}])
    lasts = more < len(once) and not once[more]
    assert set(before) - set(after) == {n for n in before if lasts and more in options[n]}
    assert set(after) <= set(before)


@given(st.lists(st.integers(0, 40), unique=True), st.sets(st.integers(0, 40), max_size=4))
def test_all_but_those_at_fault_are_allowed(candidates: list[int], faulty: set[int]) -> None:
    names = [str(number) for number in candidates]
    bad = {str(number) for number in faulty}
    asked: list[tuple[str, ...]] = []

    def allowed(some: tuple[str, ...]) -> bool:
        asked.append(some)
        return not bad & set(some)

    assert most_allowed(names, allowed) == tuple(name for name in names if name not in bad)
    at_fault = len(bad & set(names))
    assert len(asked) <= 1 + 2 * at_fault * max(1, len(names).bit_length())


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True),
    st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1), max_size=5),
)
def test_what_is_had_is_allowed_together_and_nothing_more_is(
    names: list[str], excluded: list[frozenset[str]]
) -> None:
    def allowed(some: tuple[str, ...]) -> bool:
        return not any(group <= set(some) for group in excluded)

    had = most_allowed(names, allowed)
    assert allowed(had)
    assert all(not allowed((*had, name)) for name in names if name not in had)


class Kconfig:
    """A small one: what is on by default, needs, selects, and can be asked off by whom."""

    DEFAULTS = ("NET", "PART", "EFI", "CARD", "BUS", "LIB", "URING", "WORKER")
    NEEDS: Mapping[str, str] = {"EFI": "PART", "WORKER": "URING"}
    SELECTS: Mapping[str, tuple[str, ...]] = {
        "CARD": ("LIB",),
        "NET": ("LIB",),
        EXPERT: ("DEBUG_KERNEL",),
    }
    EXPERTS = ("URING", "TRACE")
    HIDDEN = ("LIB", "WORKER", "DEBUG_KERNEL")

    def enabled(self, asked: Mapping[str, str]) -> frozenset[str]:
        expert = asked.get(EXPERT) == "y"
        on = {*self.DEFAULTS, *((EXPERT, "TRACE") if expert else ())}
        on -= {
            name
            for name, value in asked.items()
            if value == "n" and name not in self.HIDDEN and (expert or name not in self.EXPERTS)
        }
        if "BUS" not in on:
            on.add("OTHER_BUS")
        on -= {name for name, needed in self.NEEDS.items() if needed not in on}
        on -= {"LIB"} - {name for s, names in self.SELECTS.items() if s in on for name in names}
        return frozenset(on.union(*(self.SELECTS.get(name, ()) for name in on)))


def test_options_that_can_be_off_are_asked_for_and_no_others() -> None:
    unused = ("BUS", "CARD", "EFI", "LIB", "PART", "URING", "WORKER")
    off, beside = switched_off(unused, {"NET"}, Kconfig().enabled)
    # BUS would be replaced; LIB is selected by NET; WORKER goes with URING, and EFI with PART.
    assert off == ("CARD", "PART", "URING")
    # What an expert's kernel has more is asked off, but for what cannot be.
    assert beside == {EXPERT: "y", "TRACE": "n"}


def test_what_is_used_keeps_what_it_needs() -> None:
    off, _ = switched_off(("CARD", "PART"), {"EFI", "NET"}, Kconfig().enabled)
    assert off == ("CARD",)


@given(st.sets(st.sampled_from(Kconfig.DEFAULTS)), st.permutations(Kconfig.DEFAULTS))
def test_nothing_used_goes_and_nothing_comes(used: set[str], order: list[str]) -> None:
    enabled = Kconfig().enabled
    unused = [name for name in order if name not in used]
    off, beside = switched_off(unused, used, enabled)
    left = enabled({**beside, **dict.fromkeys(off, "n")})
    assert used <= left
    assert left - enabled({}) <= {EXPERT, "DEBUG_KERNEL"}
    assert set(off).isdisjoint(left)


def boot(lines: list[bytes], programs: list[str], late: bytes = b"") -> object:
    """How a boot behaves that prints a line and starts a program each 100 ns, from init on."""
    console, clock = b"", 0
    records: list[dict[str, object]] = []

    def say(line: bytes) -> None:
        nonlocal console
        console += line + b"\n"
        stamps = [value for i in range(len(line) + 1) for value in (clock + i, clock + i)]
        records.append({"console": stamps})

    def mark(name: str, text: str = "") -> None:
        records.append({"mark": name, "ns": clock, "instructions": clock, "text": text})

    say(b"U-Boot 2023.01")
    clock = 100
    mark("init.exec")
    for line, program in zip(lines, programs, strict=True):
        clock += 100
        mark("exec", f"/bin/{program}")
        say(line)
    clock += 100
    mark("exec", "/etc/init.d/S99usable")
    clock += 100
    say(late)
    scope = "".join(f"{json.dumps(record)}\n" for record in records)
    record = boot_record(scope, console, "exec:S99usable", 1, None)
    return behaviour(scope, console, record)


def test_boots_that_differ_in_turns_and_in_the_kernels_words_alone_behave_the_same() -> None:
    one = boot([b"up", b"[    0.500000] card: found", b"done"], ["ip", "mdev", "cp"])
    other = boot([b"done", b"up", b"[    0.400000] no card"], ["cp", "ip", "mdev"], b"usable")
    assert one == other == (
        ("exec:S99usable", "exec:cp", "exec:ip", "exec:mdev"),
        ("done", "up"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "programs"),
    [
        ([b"up", b"ip: cannot find eth0"], ["ip", "cp"]),
        ([b"up", b"done"], ["ip", "sh"]),
    ],
)
def test_boots_that_say_or_start_something_else_do_not(
    lines: list[bytes], programs: list[str]
) -> None:
    assert boot(lines, programs) != boot([b"up", b"done"], ["ip", "cp"])
