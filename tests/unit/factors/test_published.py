# SPDX-License-Identifier: Apache-2.0
"""Published figures hold at a board's levels, and stand next to those of a run."""

from perfboard.analysis.published import published_results
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.factors.published import published_at
from perfboard.report.html import render
from perfboard.report.text import run_text
from tests.support.runs import make_metric, make_run


def boot_figures(board: str, **levels: str) -> dict[str, float]:
    figures = published_at(choose(load_board(board), levels))
    return {each.metric: each.value for each in figures if each.metric.startswith("boot.")}


def test_a_boot_at_the_defaults_has_what_the_study_began_with() -> None:
    found = boot_figures("verdex")
    assert found == {
        "boot.bootloader": 0.152,
        "boot.kernel.load": 0.814,
        "boot.kernel.init": 1.343,
        "boot.root.mount+userspace": 1.047,
        "boot.total": 3.356,
    }
    assert boot_figures("verdex", console="quiet") == {}
    # The figure of a cached flash is of that level alone.
    assert boot_figures("verdex", flash="cached") == {"boot.userspace.copy": 0.12}


def test_what_a_command_measures_holds_at_any_level_that_it_does_not_name() -> None:
    figures = published_at(choose(load_board("bifferboard"), {"console": "quiet"}))
    assert {"network.tcp.bandwidth", "network.packets.paced"} <= {each.metric for each in figures}
    assert not any(each.less or each.scale for each in figures)


def test_published_figures_stand_next_to_the_runs() -> None:
    of_a_byte = {"senders": "1", "payload": "1"}
    metrics = [
        make_metric("network.packets.flood", 4000.0, "higher", protocol=name, **of_a_byte)
        for name in ("icmp", "udp")
    ]
    figures = published_at(choose(load_board("bifferboard"), {}))
    (result,) = published_results("network.packets", metrics, figures)
    here = {(row.metric, row.labels.get("senders")): row.here for row in result.rows}
    assert here == {
        ("network.packets.flood", None): 4000.0,
        ("network.packets.flood", "1"): 4000.0,
        ("network.packets.flood", "2"): None,
        ("network.packets.paced", None): None,
    }
    run = make_run(metrics=metrics, results=(result,), headline=None)
    words = " ".join(run_text(run).split())
    assert "8.210 k/s not measured" in words and "8.000 k/s 4.000 k/s 0.50" in words
    assert "a paced sender 8210, of a device that is not named" in words
    assert "2 have one here, 0.50 to 0.66 times them" in render(run)


def test_of_what_nobody_published_there_is_no_table() -> None:
    assert published_results("boot.", [], published_at(choose(load_board("rpi2"), {}))) == ()
