# SPDX-License-Identifier: Apache-2.0
"""The recipe of an image: the board as its file describes it, and the changes by levels."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from perfboard.images.flash.place import COPIED, FLASH, PLAIN, XIP
from perfboard.images.root.recipe import RootRecipe
from perfboard.model.board.disk import Disk
from perfboard.model.board.virtual import FlashBoard, VirtualBoard
from perfboard.model.errors import UsageError


@dataclass(frozen=True)
class Recipe:
    """How to make one image of a board.

    `board` is the emulated board, which a level may make different from the board's file.
    `arguments` are words for the kernel's command line, `options` settings of its
    configuration over the fragment's, `distribution` whether a distribution's own stand
    between, `variables` those of U-Boot over ours; `place` is where the kernel runs, one of
    `images.flash.place.PLACES`. The bootloader copies it by its command `copy`, or what stands in
    its place by such steps, all of its region where `whole`, and checks its sum first where
    `checked`. `compression` is what the kernel is compressed by, where it is. U-Boot has its
    variables from its `environment`: that in "flash", or the device "tree". If `direct`, a few
    instructions copy the kernel and start it, without a bootloader. `medium` is what kernel and
    root lie on. `root` is the root file system, where that is the reference system's.
    """

    board: VirtualBoard
    arguments: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    distribution: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    place: str = COPIED
    compression: str = "gzip"
    copy: str = "cp.l"
    whole: bool = False
    checked: bool = False
    environment: str = "flash"
    direct: bool = False
    medium: str = "flash"
    root: RootRecipe = field(default_factory=RootRecipe)

    @property
    def flash_board(self) -> FlashBoard:
        """The board, for what is made in flash. Raises UsageError for a board with a disk."""
        if not isinstance(self.board, FlashBoard):
            raise UsageError(f"board {self.board.name} boots from a disk; this needs flash")
        return self.board

    @property
    def card(self) -> Disk | None:
        """The medium of kernel and root, if that is no flash."""
        return None if self.medium == "flash" else self.flash_board.disk

    @property
    def headed(self) -> bool:
        """Whether the kernel has a header: U-Boot then starts it by `bootm`, which copies it."""
        return self.checked or self.place in (XIP, PLAIN)

    @property
    def copied(self) -> bool:
        """Whether a command of the bootloader copies the kernel, before another starts it."""
        return self.place == COPIED and not self.checked

    def with_options(self, options: Mapping[str, str]) -> "Recipe":
        """The recipe with those settings of the kernel's configuration over its own."""
        return replace(self, options={**self.options, **options})

    def check(self) -> None:
        """Raises UsageError where what its levels ask for cannot be together."""
        self.root.check()
        if self.place == XIP and self.compression != "gzip":
            raise UsageError(
                f"kernel=xip is not compressed; found compression={self.compression}; leave one out"
            )
        if self.place == FLASH and self.checked:
            raise UsageError("kernel=flash has no header with a sum; found check=crc32; choose one")
        if self.direct:
            self._check_direct()
        if self.whole and not self.copied:
            raise UsageError(
                "load=region needs a kernel that is compressed, copied and not checked; "
                "of others the header says how much there is"
            )
        if self.copy != "cp.l" and not self.copied:
            raise UsageError(
                "copy=bytes needs a kernel that is compressed, copied and not checked; "
                "others the bootloader copies in its own way, or not at all"
            )

    def _check_direct(self) -> None:
        # With a card it is that where there is a bootloader.
        if self.environment == "tree" and self.medium == "flash":
            raise UsageError("bootloader=none has no environment; found environment=tree")
        if self.checked or self.whole or "bootdelay" in self.variables:
            raise UsageError(
                "bootloader=none leaves nothing that check, load or bootdelay could be of"
            )
        if self.root.system == "initramfs":
            raise UsageError(
                "bootloader=none copies the kernel alone; found root=initramfs, which needs a "
                "bootloader that copies it as well"
            )
        if self.flash_board.image.initrd is not None:
            raise UsageError(
                f"bootloader=none: board {self.board.name} has an image.initrd, which only a "
                "bootloader hands to the kernel"
            )
