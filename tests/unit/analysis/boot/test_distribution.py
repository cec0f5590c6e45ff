# SPDX-License-Identifier: Apache-2.0
"""A distribution's boot in its parts, by lines of systemd and scripts of System V init."""

from perfboard.analysis.boot.distribution import distribution_parts
from perfboard.analysis.boot.phases import total
from perfboard.model.results.boot import Boot, Mark, Span

EARLY = {
    **{"reset": 0, "bootloader.main": 10, "boot.command": 20, "kernel.sched_init": 50},
    **{"kernel.prepare_namespace": 90, "init.exec": 100},
}


def boot(later: dict[str, int], services: dict[str, tuple[int, int]] | None = None) -> Boot:
    marks = sorted({**EARLY, **later}.items(), key=lambda each: each[1])
    return Boot(
        marks=tuple(Mark(name=name, t_ns=t_ns, source="scope") for name, t_ns in marks),
        spans=tuple(
            Span(kind="service", name=name, start_ns=at, duration_ns=end - at, returned=0)
            for name, (at, end) in (services or {}).items()
        ),
    )


def whole(made: Boot) -> int:
    found = total(made)
    assert found is not None
    return found.duration_ns


def test_systemds_parts_go_by_its_units_and_targets() -> None:
    made = boot(
        {"reached:sysinit": 300, "reached:multi-user": 500, "usable": 560},
        {
            "systemd-udevd.service": (180, 220),
            "systemd-udev-trigger.service": (150, 260),
            "systemd-journald.service": (130, 400),
        },
    )
    assert distribution_parts(made) == {
        **{"bootloader": 20, "kernel": 70, "root device": 10, "until udev starts": 50},
        **{"udev": 110, "services": 240, "prompt": 60},
    }
    assert sum(distribution_parts(made).values()) == whole(made)


def test_the_parts_of_system_v_init_go_by_its_scripts() -> None:
    made = boot(
        {"step:hostname.sh": 140, "step:udev": 200, "step:mountall.sh": 320, "step:cron": 400}
        | {"usable": 450}
    )
    assert distribution_parts(made) == {
        **{"bootloader": 20, "kernel": 70, "root device": 10, "until udev starts": 100},
        **{"udev": 120, "services": 80, "prompt": 50},
    }
    assert sum(distribution_parts(made).values()) == whole(made)


def test_a_system_without_udev_has_no_such_part() -> None:
    made = boot({"reached:multi-user": 300, "usable": 320})
    parts = distribution_parts(made)
    assert parts["services"] == 200 and "udev" not in parts


def test_a_boot_without_its_end_has_no_parts() -> None:
    assert distribution_parts(boot({})) == {}
