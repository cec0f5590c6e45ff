# SPDX-License-Identifier: Apache-2.0
"""Whether a virtual board has the room and the network that a job needs."""

from perfboard.bench.job import DISK, BoardLacks, Job, NotMeasurable
from perfboard.images.network import has_own_card
from perfboard.model.board.virtual import VirtualBoard


def check_has(job: Job, board: VirtualBoard) -> None:
    """Raises NotMeasurable where the board lacks the disk or the network that the job needs."""
    if board.disk and DISK in job.script and board.disk.trial_size < job.disk:
        raise NotMeasurable(
            f"the board's disk has {board.disk.trial_size / 1e6:.0f} MB, and it needs "
            f"{job.disk / 1e6:.0f} MB; a board file with a larger disk.data has the room"
        )
    if job.pages or job.network:
        check_network(board)


def check_network(board: VirtualBoard) -> None:
    """Raises BoardLacks for a board without Ethernet, and NotMeasurable if its file has no card."""
    if has_own_card(board.network):
        return
    check_ethernet(board)
    raise NotMeasurable(
        f"board {board.name} has no network card of ours: give its file a table [network], with "
        "another link than instant (docs/boards/network.md)"
    )


def check_ethernet(board: VirtualBoard) -> None:
    """Raises BoardLacks for a board that is sold without Ethernet, if its file adds none."""
    if board.network is None and board.sold and not board.sold.network.startswith("Ethernet"):
        raise BoardLacks(f"board {board.name} has no Ethernet: its network is {board.sold.network}")
