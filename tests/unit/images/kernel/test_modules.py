# SPDX-License-Identifier: Apache-2.0
"""When drivers start: what each level asks of kernel and root, and what is refused."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.images.kernel.modules import keep_modules, needed
from perfboard.images.network import PROBED_DRIVER, network_arguments
from perfboard.images.recipe import Recipe
from perfboard.images.root.recipe import RootRecipe
from perfboard.images.root.tree import REFERENCE, contents_of
from perfboard.model.errors import UsageError
from tests.support.roots import make_root
from tests.support.variants import variant_of

BOARD = load_board("verdex").board
ARMHF = BOARD.machine.architecture
RELEASE = "6.1.0-made"


def recipe(**levels: str) -> Recipe:
    return variant_of(**levels).recipe


def test_asynchronous_probes_are_a_word_of_the_command_line() -> None:
    made = recipe(drivers="async")
    assert made.arguments == ("driver_async_probe=virtio_net,rtc-pl031",)
    assert made.options == {} and made.root == RootRecipe()


@pytest.mark.parametrize("level", ["module", "deferred"])
def test_a_module_is_the_cards_driver_and_lies_in_the_root(level: str) -> None:
    made = recipe(drivers=level)
    assert made.options == {"CONFIG_MODULES": "y", "CONFIG_VIRTIO_NET": "m"}
    assert (made.root.drivers, made.root.module) == (level, "virtio_net")
    assert made.arguments == ()


@pytest.mark.parametrize("link", ["parallel", "waited"])
def test_a_card_of_our_own_is_one_that_the_kernel_probes(link: str) -> None:
    asynchronous = recipe(drivers="async", network=link)
    assert asynchronous.options == {"CONFIG_PERFBOARD_NET": "n", PROBED_DRIVER: "y"}
    assert asynchronous.arguments == ("driver_async_probe=perfboard_nic,rtc-pl031",)
    module = recipe(drivers="module", network=link)
    assert module.options == {
        "CONFIG_PERFBOARD_NET": "n",
        PROBED_DRIVER: "m",
        "CONFIG_MODULES": "y",
    }
    assert module.root.module == "perfboard_nic"
    # Built in, it is the one that it was.
    assert recipe(network=link).options == {"CONFIG_PERFBOARD_NET": "y"}
    words = network_arguments(module.board.network, True, PROBED_DRIVER)
    assert words[0] == "perfboard_nic.present=1"


def test_what_cannot_be() -> None:
    for level in ("module", "deferred"):
        with pytest.raises(UsageError, match=f"drivers={level} has a script load .* leave one out"):
            recipe(drivers=level, init="application")
        assert recipe(drivers=level, libraries="static").root.module
    assert recipe(drivers="async", init="application").arguments
    # Their root is on a disk, or is the user's own.
    assert "drivers" not in factors_of(load_board("settop-web").board)
    assert "drivers" not in factors_of(load_board("converter").board)


def test_a_deferred_driver_says_what_is_missing() -> None:
    levels = factors_of(BOARD)["drivers"].levels
    lost = {name: level.loses for name, level in levels.items() if level.loses}
    assert list(lost) == ["deferred"] and "the network when the board is usable" in lost["deferred"]


def built(tree: Path, **depends: str) -> None:
    (tree / "include/config").mkdir(parents=True)
    (tree / "include/config/kernel.release").write_text(f"{RELEASE}\n")
    order = "".join(f"drivers/{name[0]}/{name}.o\n" for name in depends)
    (tree / "modules.order").write_text(order)
    # Of a build before, of a kernel with other options.
    (tree / "stale.ko").write_bytes(b"\x7fELF\0depends=\0")
    for name, others in depends.items():
        file = tree / "drivers" / name[0] / f"{name}.ko"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"\x7fELF\0license=GPL\0depends=" + others.encode() + b"\0name=x\0")


def test_modules_are_kept_with_what_they_want(tmp_path: Path) -> None:
    built(tmp_path / "source", virtio_net="net_failover", net_failover="failover", failover="")
    keep_modules(tmp_path / "source", tmp_path / "modules")
    kept = tmp_path / "modules" / RELEASE
    assert (kept / "modules.dep").read_text() == (
        "failover.ko:\nnet_failover.ko: failover.ko\nvirtio_net.ko: net_failover.ko failover.ko\n"
    )
    assert (kept / "failover.ko").read_bytes().startswith(b"\x7fELF")
    assert not (kept / "stale.ko").exists()


@given(st.lists(st.sets(st.integers(0, 30), max_size=8), min_size=1, max_size=30))
@example([set(range(8))] * 30)
def test_what_is_wanted_comes_after_what_wants_it(edges: list[set[int]]) -> None:
    # Of a higher number only, since no two modules can want each other.
    count = len(edges)
    direct = {
        str(n): [str(n + 1 + k) for k in sorted(others) if n + 1 + k < count]
        for n, others in enumerate(edges)
    }
    for name in direct:
        found = needed(name, direct)
        assert len(found) == len(set(found)) and name not in found
        assert set(direct[name]) <= set(found)
        for at, one in enumerate(found):
            assert set(direct[one]) <= set(found[at + 1 :])


def filled(folder: Path, level: str) -> Path:
    built(folder / "source", virtio_net="")
    keep_modules(folder / "source", folder / "modules")
    root = recipe(drivers=level).root
    modules = folder / "modules" if root.module else None
    return make_root(folder, root, modules)


def test_the_default_root_has_nothing_of_modules(tmp_path: Path) -> None:
    tree = filled(tmp_path, "builtin")
    assert not (tree / "lib/modules").exists() and not (tree / "etc/modules").exists()
    assert not (tree / "sbin/modprobe").is_symlink()


def test_a_script_loads_the_module_before_it_sets_the_link_up(tmp_path: Path) -> None:
    tree = filled(tmp_path, "module")
    assert (tree / "lib/modules" / RELEASE / "virtio_net.ko").is_file()
    assert (tree / "etc/modules").read_text() == "virtio_net\n"
    assert (tree / "sbin/modprobe").readlink() == Path("/bin/busybox")
    script = (tree / "etc/init.d/S30ethernet").read_text()
    assert script.index("modprobe") < script.index("ip link set eth0 up")
    # What it does besides is what the default does.
    for line in (REFERENCE / "etc/init.d/S30ethernet").read_text().splitlines():
        assert line in script


def test_a_deferred_driver_is_loaded_when_the_scripts_are_done(tmp_path: Path) -> None:
    tree = filled(tmp_path, "deferred")
    assert "eth0" not in (tree / "etc/init.d/S30ethernet").read_text()
    deferred = tree / "etc/init.d/deferred"
    script = deferred.read_text()
    assert script.index("modprobe") < script.index("ip link set eth0 up")
    assert deferred.stat().st_mode & 0o111
    table = (tree / "etc/inittab").read_text()
    assert table.index("sysinit:/etc/init.d/rcS") < table.index("once:/etc/init.d/deferred")
    assert "askfirst:/bin/sh" in table


def test_the_advice_has_the_scripts() -> None:
    found = contents_of(recipe(drivers="deferred").root)
    assert found["/etc/modules"] == ("virtio_net",)
    assert 'modprobe "$driver"' in found["/etc/init.d/deferred"]
    assert "::once:/etc/init.d/deferred" in found["/etc/inittab"]
    assert not {"/etc/modules", "/etc/init.d/deferred"} & contents_of(RootRecipe()).keys()


@pytest.mark.parametrize(
    "script", sorted(REFERENCE.rglob("init.d/[!.]*")), ids=lambda path: path.name
)
def test_the_scripts_are_a_shells(script: Path) -> None:
    subprocess.run(["sh", "-n", str(script)], check=True)
