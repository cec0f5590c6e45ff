# SPDX-License-Identifier: Apache-2.0
"""boot.picture and boot.network: when a board that boots is first seen, and first heard."""

from collections.abc import Mapping

from perfboard.bench.base import Bench
from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import (
    Finding,
    Measure,
    Parameter,
    Quantity,
    Setting,
    ShownMetric,
    Turn,
)
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Mark
from perfboard.model.units import format_value


class _FirstMark(Measure):
    """Boots the board, and looks for a mark of the boot."""

    boots = True
    parameters = (Parameter("boots", 1, "how many", labels=False),)
    # Levels of the board's image in place of its own.
    levels: Mapping[str, str] = {}
    mark = ""
    # The reason where a boot had no such mark.
    unseen = ""

    def check(self, setting: Setting) -> None:
        """Raises NotMeasurable where no boot of the board has the mark."""

    def measure(self, name: str, bench: Bench, setting: Setting, turn: Turn) -> Finding:
        self.check(setting)
        marks: list[Mark] = []
        turn.place = "boot 1"
        try:
            for number, boot in enumerate(
                bench.boots(self.levels, setting.whole("boots")), start=1
            ):
                mark = boot.mark(self.mark)
                if mark is None:
                    raise NotMeasurable(f"boot {number}: {self.unseen}")
                marks.append(mark)
                turn.place = f"boot {number + 1}"
        except UsageError as error:
            raise NotMeasurable(str(error)) from error
        time = self.metrics[0].metric(mark.t_ns / 1e9 for mark in marks)
        precision = max(mark.precision_ns for mark in marks) / 1e9
        short = f"{format_value(time.samples[0], 's')} after the reset"
        why = f"It is known to {format_value(precision, 's')}." if precision else ""
        return Finding((time,), (ShownMetric(self.title, time),), short, why=why)


class FirstPicture(_FirstMark):
    """The scope looks at the framebuffer, each millisecond of the board's time."""

    name = "boot.picture"
    title = "Reset to the first picture"
    mark = "picture"
    unseen = "no pixel changed before the board was usable"
    needs = ("a virtual board with a framebuffer",)
    metrics = (Quantity("boot.picture.time", "s", "from reset until a pixel changes"),)

    def check(self, setting: Setting) -> None:
        if setting.facts.framebuffer is None:
            raise NotMeasurable(
                "nobody sees its screen: that needs a virtual board whose file has a framebuffer"
            )


class FirstPacket(_FirstMark):
    """The far end of the board's network looks; the board boots until it has sent a packet."""

    name = "boot.network"
    title = "Reset to the first packet"
    mark = "network"
    unseen = "no packet of the board's came to the far end"
    needs = ("a virtual board with a network and the reference system",)
    levels: Mapping[str, str] = {"network": "announced"}
    metrics = (Quantity("boot.network.time", "s", "from reset until the far end has a packet"),)


MEASURES = (FirstPicture(), FirstPacket())
