# SPDX-License-Identifier: Apache-2.0
"""`perfboard build`: a board's image, without a boot."""

import argparse

from perfboard.boards.loader import load_board
from perfboard.cli.progress import progress
from perfboard.cli.words import parse_factors, print_json
from perfboard.factors.choose import choose
from perfboard.images.image import build_image
from perfboard.model.text import printable


def build(options: argparse.Namespace) -> int:
    """Builds the image, and says where its files are."""
    loaded = load_board(options.board)
    image = build_image(choose(loaded, parse_factors(options.set)), progress())
    if options.json:
        print_json(
            {
                "board": loaded.board.name,
                "banks": [str(bank) for bank in image.banks],
                "kernel": str(image.kernel_file),
                "disk": str(image.root) if image.root else None,
                "hashes": image.hashes,
                "packages": image.packages,
                "notes": image.notes,
            }
        )
        return 0
    for number, bank in enumerate(image.banks):
        print(f"flash bank {number}: {bank}")
    if image.root is not None:
        print(f"kernel: {image.kernel_file}\ndisk: {image.root}")
    for note in image.notes:
        print(printable(f"note: {note}"))
    return 0
