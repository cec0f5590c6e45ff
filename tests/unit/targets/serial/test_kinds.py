# SPDX-License-Identifier: Apache-2.0
"""Boots of the kinds that the cases are of, beside those themselves."""

import pytest

from perfboard.model.errors import TargetError
from tests.support.serial_plan import (
    BODY,
    BYTE_NS,
    COPY,
    DECOMPRESS,
    EARLIER,
    ENABLED,
    HEAD,
    LOADER,
    LOG,
    LOGGED,
    UP_TO_ENTRY,
    USERSPACE,
    ZERO_S,
    Plan,
    Right,
    boot,
    check,
    kernel,
    later,
    portions,
    printed,
    record,
    shown,
)

PROMPT = "box login: "
SPL = "U-Boot SPL 2023.01 (Jan 01 2023 - 10:00:00 +0000)\r\nTrying to boot from MMC1\r\n"
PANIC = "Kernel panic - not syncing: Fatal exception"
STORED = [*((0.0, text) for text in HEAD), ENABLED, *BODY]
LATER = {name: seconds + 20 for name, seconds in LOGGED.items()}
OUT = "left out of the kernel's clock"


def plan_of(*parts: Plan, login_s: float = 30.0) -> Plan:
    return [*(line for part in parts for line in part), (login_s, PROMPT)]


KINDS: dict[str, tuple[Plan, Right]] = {
    # A log that is shown again, and others in its form.
    "the end of dmesg": (
        plan_of(LOADER, kernel(), shown(9, BODY[2:])),
        Right({**LOGGED, "usable": 30.0}, note=OUT),
    ),
    "dmesg of a quiet kernel": (
        plan_of(
            LOADER,
            printed([(0.31, "a"), (0.9, "b"), (1.9, "c")]),
            shown(9, [*STORED, (1.9, "c"), (5.2, "eth0: link up")]),
        ),
        Right(LOGGED, note=OUT),
    ),
    "a log that a late console prints again": (
        plan_of(
            LOADER,
            printed([(0.1, "a"), (0.2, "b"), (0.28, "c")]),
            shown(2.5, [(0.0, HEAD[1]), (0.1, "a"), (0.2, "b"), (0.28, "c"), ENABLED]),
            printed(BODY),
        ),
        Right(LOGGED, note=OUT),
    ),
    "a store that a late console prints": (
        plan_of(
            LOADER,
            shown(3.58, [(0.1, "a"), (0.5, "b"), (1.0, "c"), (1.38, ENABLED[1])]),
            printed([(second + 1, text) for second, text in BODY]),
        ),
        Right({"kernel.clock": 2.2, "root.mounted": 4.4}),
    ),
    "the log of the boot before, shown by the loader": (
        plan_of(LOADER[:1], shown(0.3, [(4.9, "a"), (5.2, PANIC)]), LOADER[1:], kernel()),
        Right({**LOGGED, "bootloader.main": 0.5}, note=OUT),
    ),
    "the log of the boot before, shown by a program": (
        plan_of(LOADER, kernel(), shown(25, [(2.1, "a"), (4.9, "b"), (5.2, PANIC)])),
        Right(LOGGED, note=OUT),
    ),
    "a program that stamps its lines by the day": (
        plan_of(LOADER, kernel(), [(4 + i / 10, record(1.6e9 + i / 10, "x")) for i in range(20)]),
        Right(LOGGED, note=f"{OUT}: 20."),
    ),
    "a program that stamps its lines by another clock": (
        plan_of(
            LOADER,
            kernel(),
            [(4 + i / 10, record(104 + i / 10, "x")) for i in range(20)],
            printed([(4.5, "a"), (5.0, "b")]),
        ),
        Right(LOGGED, note=f"{OUT}: 20."),
    ),
    "times that no clock has": (
        plan_of(
            LOADER,
            kernel(),
            [(4.0, "[18446744073.381141] x\r\n"), (4.1, "[999999999999.000000] y\r\n")],
        ),
        Right(LOGGED, note=f"{OUT}: 2."),
    ),
    "an initcall that takes longer than there is time": (
        plan_of(
            LOADER,
            kernel(),
            printed([(1.5, "initcall a+0x0/0x1 returned 0 after 999999999999999 msecs")]),
        ),
        Right(LOGGED, note="claim to last longer than the boot: 1."),
    ),
    "a clock that jumps ahead": (
        plan_of(
            LOADER,
            printed([ENABLED, (0.5, "a"), (0.7, "b"), (0.8, "c")]),
            printed([(second + 100, text) for second, text in BODY[1:]], ZERO_S - 100),
        ),
        Right(LOGGED, note="clock jumped, by 100.0 s"),
    ),
    "a clock that jumps back": (
        plan_of(
            LOADER,
            printed([ENABLED, (0.5, "a"), (0.7, "b"), (0.88, "c")]),
            printed([(second - 0.7, text) for second, text in BODY[1:]], ZERO_S + 0.7),
        ),
        Right(LOGGED, note="clock jumped, by 700.0 ms"),
    ),
    "a clock that runs from the supply on": (
        plan_of(LOADER, printed([(2.5, HEAD[1]), (2.6, "a"), (3.4, BODY[2][1])], 0.1)),
        Right({"kernel.clock": 2.6, "root.mounted": 3.5}),
    ),
    "a clock that runs from the supply on, once it runs": (
        plan_of(
            LOADER,
            shown(2.45, [(0.0, HEAD[0]), (0.0, HEAD[1])]),
            printed([(12.5, "a"), (12.9, "b"), (13.3, BODY[2][1])], -10.0),
        ),
        Right({"kernel.clock": 2.5, "root.mounted": 3.3}),
    ),
    "a clock that jumps ahead behind few records": (
        plan_of(
            LOADER,
            shown(2.5, [(0.0, HEAD[1]), ENABLED]),
            printed(BODY[:1]),
            printed([(second + 1.1, text) for second, text in BODY[1:]], ZERO_S - 1.1),
        ),
        Right(LOGGED, note=f"{OUT}: 2."),
    ),
    # Several boots.
    "a watchdog of a quiet board": (
        plan_of(LOADER, printed(BODY), printed(BODY, ZERO_S + 20)),
        Right({**LATER, "boot.restart": 22.2}, {EARLIER: 22.2}, note="another kernel's log began"),
    ),
    "a watchdog behind a loader that says nothing": (
        plan_of(LOADER, kernel(), kernel(ZERO_S + 20)),
        Right({**LATER, "boot.restart": 22.2}, {EARLIER: 22.2}, note="another kernel's log began"),
    ),
    "a watchdog, twice": (
        plan_of(
            LOADER,
            kernel()[:2],
            later([*LOADER, *kernel()[:2]], 10),
            later([*LOADER, *kernel()], 20),
        ),
        Right({**LATER, "bootloader.main": 20.5}, note="began again 10.20 s, 20.20 s after"),
    ),
    "a watchdog that bites before the kernel's clock runs": (
        plan_of([(0.1, SPL)], LOADER, kernel()[:1], later([(0.1, SPL), *LOADER, *kernel()], 20)),
        Right({**LATER, "boot.restart": 20.1}, {DECOMPRESS: 0.2}, note="U-Boot SPL"),
    ),
    "a loader that resets the board": (
        plan_of(
            LOADER[:4],
            [(1.7, "### ERROR ###\r\nresetting ...\r\n")],
            later([*LOADER, *kernel()], 20),
        ),
        Right({**LATER, "boot.restart": 20.2}, {"boot.bootloader": 0.3}, note="began again"),
    ),
    "a reset in the middle of a record": (
        plan_of(
            LOADER,
            kernel(),
            [(20.05, f"[   17.800000] Rest\u00ff{SPL}")],
            later([*LOADER, *kernel()], 20),
        ),
        Right({**LATER, "bootloader.main": 20.5}, note="U-Boot SPL"),
    ),
    "a quiet kernel that another one starts": (
        plan_of(
            LOADER,
            kernel(),
            printed([(2.8, "kexec_core: Starting new kernel"), (2.9, "psci: CPU1 killed")]),
            [(5.2, "Bye!\r\n")],
            printed([(0.9, "a"), *BODY[3:], (2.9, "b")], 6.2),
        ),
        Right(
            {"kernel.clock": 6.2, "kernel.freed": 7.45, "init.exec": 7.46, "kernel.entry": 5.2},
            {EARLIER: 5.2, DECOMPRESS: 1.0},
            note="its kernel started another one",
        ),
    ),
    "a loader of two processors": (
        plan_of([(0.1, SPL), (0.12, "NOTICE:  BL31: v2.8\r\n"), (0.15, SPL)], LOADER, kernel()),
        Right(LOGGED),
    ),
    "a program that prints a loader's words": (
        plan_of(
            LOADER, kernel(), LOADER[:1], [(6, "Starting kernel ...\r\n")], printed([(5.0, "x")])
        ),
        Right({**LOGGED, "kernel.entry": 2.0}),
    ),
    # A thread that prints.
    "a thread that prints records long after they were stored": (
        plan_of(
            LOADER,
            shown(2.5, [(0.0, HEAD[1]), ENABLED]),
            printed(BODY[:1]),
            shown(4.2, [(0.6, "a"), (0.61, "b"), (0.62, "c"), (0.9, "d"), *BODY[2:]]),
            printed([(2.8, "e")]),
        ),
        Right(LOGGED, note="printed up to 1.400 s after they were stored, as by a thread"),
    ),
    # Steps.
    "a kernel of 2.4": (
        plan_of(
            LOADER,
            [
                (
                    2.3,
                    "Uncompressing Linux.... done, booting the kernel.\r\nLinux version 2.4.14\r\n",
                ),
                (3.4, "VFS: Mounted root (jffs2 filesystem).\r\n"),
                (3.45, "Freeing init memory: 60K\r\n"),
                (3.7, "init started: BusyBox v1.00\r\n"),
            ],
        ),
        Right({"kernel.freed": 3.45}, {COPY: 0.5, USERSPACE: 26.55}, absent=(DECOMPRESS, LOG)),
    ),
    "nothing but the prompt": (plan_of(), Right({"usable": 30.0})),
    # Loaders.
    "a loader that starts the kernel by itself": (
        plan_of([(0.1, SPL)], kernel(0.8)),
        Right(
            {"kernel.clock": 0.8},
            {UP_TO_ENTRY: 0.8, LOG: 1.25},
        ),
    ),
    "a Raspberry Pi": (
        plan_of(
            [
                (1.8, "MESS:00:00:01.829264:0: brfs: File read: /mfs/sd/kernel8.img\r\n"),
                (2.0, "MESS:00:00:02.029264:0: Device tree loaded to 0x2eff2c00 (size 0xd31e)\r\n"),
                (
                    2.01,
                    "MESS:00:00:02.044483:0: uart: Baud rate change done...\r\nMESS:00:00:02.0:",
                ),
            ],
            kernel(),
        ),
        Right({"kernel.entry": 2.0155, **LOGGED}, {UP_TO_ENTRY: 2.0155, DECOMPRESS: 0.185}),
    ),
    "UEFI and GRUB": (
        plan_of(
            [
                (0.1, "UEFI firmware (version 2022.11-6 built at 00:00:00 on Jan  1 1980)\r\n"),
                (0.8, 'BdsDxe: starting Boot0001 "UEFI Misc" from PciRoot(0x0)/Pci(0x3,0x0)\r\n'),
                (1.0, "Welcome to GRUB!\r\n"),
                (
                    1.2,
                    "\x1b[0m\x1b[2J\x1b[01;01H The highlighted entry will be executed"
                    " automatically in 1s.",
                ),
                (1.5, "\r\n  Booting `Debian GNU/Linux'\r\n\r\nLoading initial ramdisk ...\r\n"),
                (
                    1.9,
                    "EFI stub: Booting Linux Kernel...\r\nEFI stub: Exiting boot services...\r\n",
                ),
            ],
            kernel(),
        ),
        Right({"bootloader.main": 1.2, "boot.command": 1.5, "kernel.entry": 1.905}, {COPY: 0.405}),
    ),
    "barebox": (
        plan_of(
            [
                (0.1, "\r\nbarebox 2022.03.0 #1 Mon Mar 7\r\n"),
                (0.5, "Hit m for menu or any other key to stop autoboot:    3"),
                (1.5, "\b\b\b\b   0\r\n"),
                (1.52, "booting 'emmc'\r\n\r\nLoading ARM Linux zImage '/mnt/emmc/zImage'\r\n"),
                (2.0, "Starting kernel in secure mode\r\n"),
            ],
            kernel(),
        ),
        Right({"bootloader.main": 0.5, "boot.command": 1.5, "kernel.entry": 2.0}, {COPY: 0.5}),
    ),
    "U-Boot on MIPS": (
        plan_of(
            LOADER[:3],
            [(1.9, "## Transferring control to Linux (at address 8000c150) ...\r\n")],
            LOADER[4:],
            kernel(),
        ),
        Right({"kernel.entry": 2.0}, {COPY: 0.5}),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_boot_with(name: str) -> None:
    plan, right = KINDS[name]
    check(
        boot("login:", list(portions(sorted(plan, key=lambda line: line[0])))), right, off_s=0.008
    )


@pytest.mark.parametrize(
    ("prefix", "before"),
    [
        ("[    T1] ", ""),
        ("I[0:      swapper/0:    1] ", ""),
        ("<6>.(4)[1:swapper/0][name:rootfs&]", ""),
        (" c0      1 ", ""),
        ("", "\x1b[32m"),
        ("", "<6>"),
    ],
)
def test_a_vendors_kernel(prefix: str, before: str) -> None:
    plan = [
        (t, text.replace("] ", f"] {prefix}").replace("[ ", f"{before}[ ")) for t, text in kernel()
    ]
    check(boot("login:", list(portions(plan_of(LOADER, plan)))), Right(LOGGED))


def test_initcalls_of_each_form() -> None:
    calls = [
        (0.1, "clocksource: Switched to clocksource tsc"),
        (0.2, "foo...doneinitcall a_init+0x0/0x10 returned 0 after 100 usecs"),
        (0.3, "calling  b_init+0x0/0x10 [m]"),
        (0.4, "sdb: sdb1calling  c_init+0x0/0x10 @ 1"),
        (0.5, "Calling initcall 0xc03fe890: d_init+0x0/0x10()"),
        (0.6, "initcall 0xc03fe890: d_init+0x0/0x10() returned -19."),
        (0.6, "initcall 0xc03fe890 ran for 99 msecs: d_init+0x0/0x10()"),
        (0.7, "Calling initcall 0xc03fe8a0: .e_init+0x0/0x10()"),
    ]
    stamped = boot("login:", list(portions(plan_of(LOADER, printed(calls)))))
    bare = [(ZERO_S + second, f"{text}\r\n") for second, text in calls[4:]]
    unstamped = boot("login:", list(portions(plan_of(LOADER, bare))))
    found = [(span.name, span.duration_ns, span.returned) for span in stamped.spans]
    assert found == [("a_init", 100_000, 0), ("d_init", 99_000_000, -19)]
    assert stamped.unfinished == ("b_init [m]", "c_init", "e_init")
    assert ([span.name for span in unstamped.spans], unstamped.unfinished) == (
        ["d_init"],
        ("e_init",),
    )


def test_a_record_that_was_printed_late_is_usable_when_it_was_stored() -> None:
    plan, _ = KINDS["a thread that prints records long after they were stored"]
    made = boot("Run /sbin/init as", list(portions(plan)))
    usable = made.marks[-1]
    assert (usable.name, usable.source) == ("usable", "kernel-log")
    assert abs(usable.t_ns / 1e9 - 3.46) <= usable.precision_ns / 1e9 + 0.01


def test_a_text_behind_a_pause_is_usable_behind_it() -> None:
    plan = [*LOADER, *kernel(), (4.0, "Starting application: "), (6.0, "ready\r\n")]
    check(boot("ready", list(portions(plan))), Right({"usable": 6.0}))


def test_a_panic_of_this_boot_ends_it_and_one_that_is_shown_does_not() -> None:
    own = printed([(1.5, PANIC), (1.501, "CPU: 0 PID: 1"), (1.502, "Rebooting in 3 seconds..")])
    with pytest.raises(TargetError, match="panicked: Fatal exception"):
        boot("login:", list(portions(plan_of(LOADER, kernel(), own))))
    dump = "Panic#2 Part1\r\n" + record(15.2, PANIC) + record(15.21, "---[ end Kernel panic")
    check(
        boot("login:", list(portions(plan_of(LOADER, kernel(), [(5.0, dump)])))),
        Right(LOGGED, note=f"{OUT}: 2."),
    )


# The same boot, whose prompt is printed 32 ways: each by what to wait for, and texts in a row, of
# which the line with the prompt begins at the "|" that is not printed.
_CRNG = record(2.3006, "random: crng init done")
VARIANTS: list[tuple[str, list[str]]] = [
    ("box login:", ["box login: "]),
    ("^box login: $", ["box login: "]),
    ("^box login:", ["Debian GNU/Linux 12 box ttyS0\r\n\r\n\r|box login: "]),
    ("^box login:", ["\r\n|box login: "]),
    ("^box login:", ["\x1b[H\x1b[Jbox login: "]),
    ("^box login:", ["\x1b]0;box\x07box login: "]),
    ("^box login:", ["\x1b]3008;start=ab;user=root\x1b\\box login: "]),
    ("^box login:", ["\x1bP+q544e\x1b\\box login: "]),
    ("^box login:", ["\0\0\x0fbox login: "]),
    ("box login:", ["\x1b[1mbox\x1b[0m \x1b[32mlogin\x1b[m: "]),
    ("box login:", ["\x1b[01;32mb\x1b[00mo\x1b[Kx login: "]),
    ("box login:", ["box lag\bg\b\bogin: "]),
    ("box login:", ["box login;\b: "]),
    (r"root@box:~# $", ["\x1b[?2004hroot@box:~# "]),
    (r"^root@box:~#", ["\x1b[?2004h\x1b[0;31mroot@box\x1b[0m:~# \x1b[6n"]),
    (
        "Multi-User",
        ["[\x1b[0;32m  OK  \x1b[0m] Reached target \x1b[0;1;39mMulti-User System\x1b[0m.\r\n"],
    ),
    (
        "target Multi",
        ["[\x1b[0;32m  OK  \x1b[0m] Reached target \x1b[0;1;39mMulti-User System\x1b[0m.\r\n"],
    ),
    ("Multi-User", [record(2.3, "systemd[1]: Reached target Multi-User System.")]),
    ("box login:", ["box lo", _CRNG, "gin: "]),
    ("box login:", ["b", _CRNG, "ox lo", record(2.302, "a"), "gin: "]),
    ("^box login:", ["box lo", _CRNG + record(2.305, "b") + record(2.309, "c"), "gin: "]),
    ("box login:", ["box lo<6>" + _CRNG, "gin: "]),
    ("box login:", ["box lo", _CRNG.replace("[ ", "\x1b[32m[ "), "gin: "]),
    ("box login:", ["box \x1b[1;3", _CRNG, "1mlogin: "]),
    ("^box login: $", ["\r|box lo", _CRNG, "gin: "]),
    ("box login:", [_CRNG + "|box login: "]),
    ("crng init done", ["box lo|", _CRNG, "gin: "]),
    ("ready", ["\r 98%\r 99%\r100%\r|ready\r\n"]),
    ("ready", ["." * 64 + " ready\r\n"]),
    ("^ready$", ["ready\r\r\n", "more"]),
    ("^läuft", ["läuft\r\n"]),
    ("^box login:", ["box login: Password: "]),
]


@pytest.mark.parametrize("number", range(len(VARIANTS)))
@pytest.mark.parametrize("most", [1, 16, 4096])
def test_the_prompt_is_found_however_it_is_printed(number: int, most: int) -> None:
    usable, texts = VARIANTS[number]
    before, bar, behind = "\n\n".join(texts).partition("|")
    plan = [(4.5, text) for text in (before + behind).split("\n\n")]
    made = boot(usable, list(portions([*LOADER, *kernel(), *plan], most=most)))
    mark = made.marks[-1]
    assert mark.name == "usable"
    # The first byte of the line comes with what was printed before it, and takes its own time.
    first_ns = 4_500_000_000 + (len(before.replace("\n\n", "")) * bool(bar) + 1) * BYTE_NS
    assert 0 <= mark.t_ns - first_ns <= mark.precision_ns
    assert mark.t_ns - first_ns < (12_000_000 if most == 4096 else 2_000_000)
    assert {name: made.mark(name) is not None for name in LOGGED} == dict.fromkeys(LOGGED, True)
    assert len(VARIANTS) == 32
