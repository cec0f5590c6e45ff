# SPDX-License-Identifier: Apache-2.0
"""`perfboard build-module`: our drivers for a kernel of the user's own."""

import argparse

from perfboard.cli.progress import progress
from perfboard.cli.words import print_json
from perfboard.images.kernel.module import build_module as build
from perfboard.images.kernel.module import read_tree, usual_tree

# The arguments of a driver when it is loaded, and the work meanwhile.
_GIVEN = {"gpio": " chip=LABEL line=N"}
_MORE = {
    "gpio": """
LABEL and N name a line that nothing else uses, as `gpioinfo` lists them.
For an edge before the kernel is loaded, in U-Boot, with PIN as its
`gpio status -a` lists it:

  setenv perfboard_boot "$bootcmd"
  setenv bootcmd 'gpio set PIN; run perfboard_boot'"""
}


def build_module(options: argparse.Namespace) -> int:
    """Builds one driver, and prints where it is."""
    tree = read_tree(options.kernel or usual_tree())
    path, release = build(options.driver, tree, options.into, progress())
    if options.json:
        print_json({"module": str(path), "release": release, "arch": tree.arch})
        return 0
    print(f"{path} is for kernel {release} ({tree.arch}). On that machine:\n")
    given = _GIVEN.get(options.driver, "")
    print(f"  sudo insmod {path.name}{given}\n  sudo rmmod {path.stem}")
    if more := _MORE.get(options.driver):
        print(more)
    return 0
