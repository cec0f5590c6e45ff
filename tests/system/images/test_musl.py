# SPDX-License-Identifier: Apache-2.0
"""Programs that are linked here with another C library, and their functions by first use."""

import pytest

from perfboard.images.packages.apt_source import SourceState
from perfboard.images.root.musl import ORDER
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress

from ..conftest import Perfboard
from .busybox_order import used_sections
from .test_factors import assert_does_the_same, boot


@pytest.fixture(scope="session", autouse=True)
def _source() -> None:
    """A mirror may have no source packages, which is no fault of ours."""
    try:
        SourceState(SilentProgress()).resolve("busybox")
    except EnvironmentLacksError as error:
        pytest.skip(f"this machine has no source of BusyBox: {error}")


def test_a_system_with_another_libc_does_the_same(perfboard: Perfboard) -> None:
    assert_does_the_same(perfboard, boot(perfboard, "libraries=musl", "order=functions"))


def test_the_functions_that_a_boot_uses_lie_first_and_in_its_order(image: object) -> None:
    listed = [line.strip() for line in ORDER.read_text().splitlines() if line.startswith("\t\t*")]
    used = used_sections({"order": "functions"})
    # Another version of BusyBox may use a few others; the list is written by busybox_order.py.
    found = [section for section in used if section in listed]
    assert len(found) > 0.95 * len(used)
    assert found == sorted(found, key=listed.index)
