# SPDX-License-Identifier: Apache-2.0
"""A program of the user's on a display: how it is named, started, and what it brings."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Parameter, Setting
from perfboard.measures.display.applications.base import Application
from perfboard.measures.display.session import DisplayMeasure
from perfboard.measures.own_files import FILES, PACKAGES, named_files, own_files, with_own
from perfboard.model.profile import Value

PROGRAM = "dillo"
X11, _FRAMEBUFFER = "x11", "framebuffer"
OWN = (
    Parameter(
        "command",
        "",
        "a program of yours in place of `program`, with its words; no shell reads them",
    ),
    PACKAGES,
    FILES,
    Parameter(
        "display",
        X11,
        f"{X11}; or {_FRAMEBUFFER}, for a program of yours that draws to /dev/fb0 without X",
    ),
)
# As native/display/plan.c reads a line.
_MOST_WORDS, _MOST_COMMAND = 29, 400


class OwnProgramMeasure(DisplayMeasure):
    """A measure of programs, one of which may be the user's own."""

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        return [str(parameters["command"])] if parameters["command"] else []


def own_application(setting: Setting) -> Application | None:
    """The user's program; None: there is no command of one. Raises NotMeasurable."""
    if not (command := setting.text("command")):
        return None
    words = command.split(" ")
    if not re.fullmatch(r"[!-~]+( [!-~]+)*", command) or set(command) & set("'\"\\`"):
        raise NotMeasurable(
            f"command {command!r}: give the program and its words, with a space between each two; "
            "for more, make a script of it, name that in `files`, and start ./SCRIPT"
        )
    if len(words) > _MOST_WORDS or len(command) > _MOST_COMMAND:
        raise NotMeasurable(
            f"command has {len(words)} words in {len(command)} characters, and {_MOST_WORDS} in "
            f"{_MOST_COMMAND} is the most; make a script of it, and name that in `files`"
        )
    if setting.text("program") != PROGRAM:
        raise NotMeasurable("program and command both name one; give one of them")
    if words[0] in {Path(path).name for _, path in named_files(setting.text("files"))}:
        raise NotMeasurable(f"command: {words[0]} lies in its folder; write ./{command}")
    return Application(
        name=words[0].removeprefix("./"),
        title="a program of the user's",
        packages=setting.packages(),
        command=command,
    )


def framebuffer(setting: Setting) -> tuple[int, int] | None:
    """The pixels of the framebuffer that the program draws to, across and down; None: it has X.

    Raises NotMeasurable.
    """
    display = setting.text("display")
    if display == X11:
        return None
    if display != _FRAMEBUFFER:
        raise NotMeasurable(f"display is {display!r}; give {X11} or {_FRAMEBUFFER}")
    if not setting.text("command"):
        raise NotMeasurable(
            f"display={_FRAMEBUFFER}: Perfboard's programs draw to X alone; give a `command` of "
            "yours"
        )
    if not setting.facts.exact:
        raise NotMeasurable(
            f"display={_FRAMEBUFFER}: nobody sees a live target's framebuffer from outside, and to "
            "look at it there would take the program's time; take a virtual board that has one, as "
            f"rpi2, or display={X11}"
        )
    if setting.facts.framebuffer is None:
        raise NotMeasurable(
            f"display={_FRAMEBUFFER}: the board's file has no table [framebuffer]; take a board "
            f"that has one, as rpi2, or display={X11}"
        )
    return setting.facts.framebuffer


def with_files(job: Job, setting: Setting) -> Job:
    """The job with the user's files; without a program of theirs it has none."""
    if setting.text("command"):
        return with_own(job, own_files(setting))
    for name in ("files", "packages"):
        if setting.text(name):
            raise NotMeasurable(f"{name} are those of a command; give that too, or omit them")
    return job
