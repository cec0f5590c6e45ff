# SPDX-License-Identifier: Apache-2.0
"""A board's network: what is accepted of it, and what its kernel and emulator are told."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.images.kernel.fragment import read_fragment
from perfboard.images.network import far_end, network_arguments
from perfboard.images.variant import Variant
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import UsageError
from perfboard.targets.virtual.target import Emulation
from tests.support.board_files import SETTOP, config_of, refusal
from tests.support.variants import variant_of

DRIVER = "CONFIG_PERFBOARD_NET"


def board_at(name: str, level: str) -> VirtualBoard:
    return variant_of(name, network=level).board


def told(board: VirtualBoard, timed: bool = True) -> dict[str, str]:
    words = network_arguments(board.network, timed)
    assert all(word.startswith("perfboard_net.") for word in words)
    return dict(word.removeprefix("perfboard_net.").split("=") for word in words)


def has_emulators_card(variant: Variant) -> bool:
    machine = Emulation(variant).machine(variant.board.machine.ram)
    return any("virtio-net" in word for word in machine)


def test_the_kernel_is_told_of_the_networks_times_where_the_board_is_timed() -> None:
    board = load_board("bifferboard").board
    assert told(board) == {
        "present": "1",
        "wait": "0",
        "rate": "100000000",
        "negotiation": "2500000",
    }
    assert told(board, timed=False) == {"present": "1", "wait": "0"}


def test_the_scope_is_told_of_the_wire() -> None:
    symbols = {"perfboard_far_end": 0xC0301234}
    board = load_board("bifferboard").board
    assert far_end(board.network, symbols, True) == "c0301234:100000000:500:0"
    assert far_end(board.network, symbols, False) == "c0301234:0:0:0"
    assert far_end(board.network, {}, True) is None
    assert far_end(load_board("verdex").board.network, symbols, True) is None


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ({"wire": "10M"}, ":10000000:500:0"),
        ({"latency": "5ms"}, ":100000000:5000000:0"),
        ({"loss": "1%", "wire": "1G"}, ":1000000000:500:42949673"),
    ],
)
def test_the_wire_is_a_factor(factors: Mapping[str, str], said: str) -> None:
    network = variant_of("settop-web", **factors).board.network
    assert far_end(network, {"perfboard_far_end": 16}, True) == f"10{said}"


@pytest.mark.parametrize("name", ["settop-web", "bifferboard"])
def test_a_board_with_a_network_has_its_driver_and_no_other_card(name: str) -> None:
    loaded = load_board(name)
    assert read_fragment(config_of(loaded))[DRIVER] == "y"
    assert not has_emulators_card(variant_of(name))


@pytest.mark.parametrize("name", ["verdex", "settop-media", "rpi2"])
def test_other_boards_have_the_emulators_card(name: str) -> None:
    variant = variant_of(name)
    assert has_emulators_card(variant)
    assert network_arguments(variant.board.network, True) == ()


@pytest.mark.parametrize(("level", "waits"), [("parallel", "0"), ("waited", "1")])
def test_how_the_link_comes_up_is_a_factor(level: str, waits: str) -> None:
    variant = variant_of(network=level)
    recipe = variant.recipe
    assert recipe.options == {DRIVER: "y"}
    assert told(recipe.board)["wait"] == waits
    assert told(recipe.board)["negotiation"] == "2500000"
    assert not has_emulators_card(variant)


def test_a_board_that_announces_itself_is_usable_by_then() -> None:
    variant = variant_of(network="announced")
    assert told(variant.board)["wait"] == "0" and variant.recipe.root.announces
    assert variant.board.boot.usable == "console:announced"
    assert variant_of(network="parallel").recipe.root.announces is None
    with pytest.raises(UsageError, match="sequence"):
        variant_of(network="announced", init="parallel")


def test_a_network_at_once_is_the_emulators() -> None:
    variant = variant_of("settop-web", network="instant")
    assert has_emulators_card(variant) and told(variant.board) == {}


def test_boards_without_a_network_do_not_have_the_factor() -> None:
    assert "network" not in factors_of(load_board("settop-media").board)
    assert factors_of(load_board("verdex").board)["network"].default == "board"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("rate = 100_000_000", "rate = 0", "network.wire.rate: found 0; give greater"),
        ("rate = 100_000_000", "rate = -1", "network.wire.rate: found -1; give greater"),
        ("rate = 100_000_000", 'rate = "fast"', "network.wire.rate: found"),
        ("one_way_us = 0.5", "one_way_us = -0.5", "network.latency.one_way_us: found -0.5"),
        ("one_way_us = 0.5", "one_way_us = nan", "network.latency.one_way_us: found NaN"),
        ("one_way_us = 0.5", "one_way_us = 2e6", "network.latency.one_way_us: found 2000000"),
        ("after_ms = 2500", "after_ms = -1", "network.negotiation.after_ms: found -1"),
        ("after_ms = 2500", "after_ms = 1e9", "network.negotiation.after_ms: found"),
        ("after_ms = 2500\nsource", "after_ms = 2500\n# source", "negotiation.source: is missing"),
        ("rate = 100_000_000", "", "network.wire.rate: is missing"),
        ("[network.latency]", "[network.delay]", "network.delay: is not a key"),
        (
            "[network.wire]",
            '[network]\nlink = "x"\n[network.wire]',
            'network.link: found "x"',
        ),
        ("[network.wire]", "[network.cable]", "network.wire: is missing"),
    ],
)
def test_a_wrong_network_is_told_by_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SETTOP
    # Behind the disk, whose keys are much the same.
    at = SETTOP.index("[network.wire]")
    assert said in refusal(tmp_path, SETTOP[:at] + SETTOP[at:].replace(old, new, 1))
