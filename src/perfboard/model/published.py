# SPDX-License-Identifier: Apache-2.0
"""Figures that somebody published of a real board, and the programs that some of them are of."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from perfboard.model.sourced import WithSource
from perfboard.model.tables import Table
from perfboard.model.units import parse_size

# The beginning of the metrics of whole programs' figures.
PROGRAM = "program."
# The time of a random read beyond one in the first cache; at a size.
BEYOND_L1 = "memory.random.beyond_l1"
# A difference beyond this share of the published figure is explained.
WITHIN = 0.25
_SIZE = "size"

Word = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]


class PrintedFigure(Table):
    """The place of a program's figure in its output.

    In the last line that begins with `line`, blanks before it left out: its word number
    `word`, from 1, whose leading number is taken `scale` times, in the unit of the row.
    """

    line: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^\S[^\x00-\x1f]*$")]
    word: Annotated[int, Field(ge=1, le=100)]
    scale: Annotated[float, Field(gt=0, le=1e12, strict=False)] = 1.0


class NpmFile(Table):
    """A file of a package of the npm registry, for programs that Debian has not, or not any more.

    `file` is its path in the package; `sha256` is what must have come.
    """

    package: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,80}$")]
    version: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    file: Annotated[
        str, Field(pattern=r"^([A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$")
    ]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class OwnProgram(Table):
    """A program of ours, native/programs/`name`.c, that does what a published one does.

    `flags` are the compiler's: how much it optimises, and for which processor.
    """

    name: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
    flags: Annotated[
        tuple[
            Annotated[
                str,
                Field(pattern=r"^-(O[0-3]|Ofast|marm|m(cpu|fpu|float-abi)=[a-z0-9.+-]{1,30})$"),
            ],
            ...,
        ],
        Field(max_length=8, strict=False),
    ] = ()


class PublishedProgram(Table):
    """A program that is run on the virtual board.

    `command` is its words; `packages` are Debian's, for the board's architecture, that it
    needs; `push` are files, from the folder of the board's file, `npm` those of packages of
    npm's, and `own` is a program of ours: these are laid into its working folder. Without
    `figure`, its time is what counts.
    """

    command: Annotated[tuple[Word, ...], Field(min_length=1, max_length=100, strict=False)]
    packages: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+.-]{1,80}$")], ...],
        Field(strict=False),
    ] = ()
    push: Annotated[
        tuple[Annotated[Path, Field(strict=False)], ...], Field(max_length=20, strict=False)
    ] = ()
    npm: Annotated[tuple[NpmFile, ...], Field(max_length=20, strict=False)] = ()
    own: OwnProgram | None = None
    figure: PrintedFigure | None = None


class FigureScale(Table):
    """The real board's value of a metric that a figure grows with, such as the kernel's size."""

    metric: Annotated[str, Field(pattern=r"^[a-z0-9._-]+$")]
    value: Annotated[float, Field(gt=0, le=1e15, strict=False)]


class Technique(WithSource):
    """The effect of a change on the real board: a metric in s before it, and after.

    The metric is boot.total or a phase's; of phases that follow each other, their names joined
    as in `analysis.phases`: boot.root.mount+userspace.

    `old` and `new` are levels of `factor`, where that is how a virtual board does the same; one
    that is left out is what a tune starts from. Without a factor, the change is all of them: from
    that start to the best. `kernel_size` is what the kernel took in flash there before the change,
    in bytes, for what grows with it. `differs` says why a virtual board saves more or less, if it
    does.
    """

    title: Annotated[str, Field(min_length=1, max_length=100)]
    metric: Annotated[str, Field(pattern=r"^[a-z0-9._+-]+$")]
    before: Annotated[float, Field(ge=0, le=1e6, strict=False)]
    after: Annotated[float, Field(ge=0, le=1e6, strict=False)]
    factor: str | None = None
    old: str | None = None
    new: str | None = None
    kernel_size: Annotated[int, Field(gt=0, le=2**40)] | None = None
    differs: Annotated[str, Field(max_length=1000)] = ""


class PublishedBoot(WithSource):
    """The times of the parts of a boot on the real board, at one level of a factor.

    `times` are in s, by the names of phases and their steps as `analysis.phases` has them, those
    of phases that follow each other joined by "+"; `boot.userspace.scripts` is user space
    without the application and the copy. `size` is the bytes of what the level makes, where
    that was published.
    """

    title: Annotated[str, Field(min_length=1, max_length=100)]
    factor: str
    level: str
    size: Annotated[int, Field(gt=0, le=2**40)] | None = None
    times: Annotated[
        dict[
            Annotated[str, Field(pattern=r"^boot\.[a-z0-9._+-]+$")],
            Annotated[float, Field(ge=0, le=1e6, strict=False)],
        ],
        Field(min_length=1),
    ]


class PublishedValue(WithSource):
    """A figure that somebody measured of the real board.

    `metric` and `labels` are those of a run, or of `analysis.verification`; of phases that follow
    each other, their names joined as in `analysis.phases`. With `program` the metric is a name that
    begins with "program.". If the figure set a parameter, `use` is "calibration"; if it guided work
    on the model, "development". Only "held-out" figures tell the model's accuracy. `factors` are
    the levels it holds at; with `less` it is a saving: what the metric is less at those levels.
    `scale` has the virtual figure taken times the real board's value of a metric over the virtual
    one's. `kernel` is the version of Linux that the real board had, where the source gives it.
    `ratio` is the virtual figure over this one, as `boards verify` last found it: margins are made
    of those (`boards.margins`). `host` is how many seconds its program's run took on a machine of
    two cores: the next is expected to take as long. `differs` says why a virtual board's
    figure is further from it than `WITHIN`, if it is.
    """

    metric: Annotated[str, Field(pattern=r"^[a-z0-9._+-]+$")]
    labels: dict[str, str] = Field(default_factory=dict)
    value: Annotated[float, Field(gt=0, le=1e15, strict=False)]
    unit: Literal["s", "B", "B/s", "1/s", "1"]
    use: Literal["calibration", "development", "held-out"]
    factors: dict[str, str] = Field(default_factory=dict)
    less: dict[str, str] = Field(default_factory=dict)
    scale: FigureScale | None = None
    kernel: Annotated[str, Field(pattern=r"^[0-9][A-Za-z0-9._+-]{0,40}$")] | None = None
    program: PublishedProgram | None = None
    ratio: Annotated[float, Field(gt=0, le=1e6, strict=False)] | None = None
    host: Annotated[float, Field(gt=0, le=1e6, strict=False)] | None = None
    differs: Annotated[str, Field(max_length=1000)] = ""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        size = self.labels.get(_SIZE)
        if size is not None:
            parse_size(size)
        elif self.metric == BEYOND_L1:
            raise ValueError(f"labels lacks {_SIZE}, which {BEYOND_L1} is at")
        if (self.program is not None) != self.metric.startswith(PROGRAM):
            raise ValueError(f'metric is {self.metric}; "{PROGRAM}" goes with a program, and only')
        if self.program is None:
            if self.host is not None:
                raise ValueError("host: is for the row of a program; omit it")
            return self
        if self.use == "calibration":
            raise ValueError("use is calibration; no parameter may come from a whole program")
        if self.program.figure is None and self.unit != "s":
            raise ValueError(f"unit is {self.unit}; give s where program has no figure")
        if self.less or self.scale:
            raise ValueError("less and scale: a program's figure has neither")
        if self.labels:
            raise ValueError("labels: a program has none; write them in the metric's name")
        return self
