# SPDX-License-Identifier: Apache-2.0
"""The description of a program that is measured on a display, and all such programs."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

import perfboard.measures.display.applications


@dataclass(frozen=True)
class Mail:
    """How a mail client is driven; keys are as the watcher has them (native/display/plan.c).

    `kinds` are the folders that it reads, the first by default: mh, maildir, mbox. The folder lies
    at `path` in its home. `select` are keys that lead to it, and `open` is the one that opens it.
    `subject` sorts it by subject, and `back` by date, as it is at first. `marks` gives, for a
    number of messages, the files that say that all have been read, so that the first look at a
    folder is as all others.
    """

    kinds: tuple[str, ...]
    path: str
    select: tuple[str, ...]
    open: str
    subject: str
    back: str
    marks: Callable[[int], Mapping[str, bytes]] = lambda _: {}


@dataclass(frozen=True)
class Trust:
    """How a browser trusts an authority: a line of a script, run before it starts.

    The authority is the file ca.crt, and OpenSSL calls it $CA. The files `plan` and `home` are the
    session's. `programs` are those that the line needs, and `packages` have them.
    """

    line: str
    programs: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Application:
    """A program of Debian's, unpatched. A module of this folder has one or more.

    `command` starts it so that its picture settles. `home` has the files of a home of its own, by
    their paths there, with which it asks nothing and no caret blinks. `prepare` is a line of a
    script that is run before, where the folder `home` is. `masks` are rectangles (x, y, x1, y1) of
    a screen of 1024x768 whose pixels do not count, as a clock's.

    A browser has `bars`, rectangles that tell addresses and states, and do not count when a page is
    loaded, and `location`, the lines that lead to the address (native/display/plan.c). `trust` has
    it trust an authority, and `scripts` says that it runs a page's. A mail client has `mail`.
    `patience_s` is how long a task may take before it is refused. A virtual board makes its
    reference picture of as many starts as `pictures` says, which have to end alike.
    """

    name: str
    title: str
    packages: tuple[str, ...]
    command: str
    home: Mapping[str, str] = field(default_factory=dict)
    prepare: str = ""
    masks: tuple[tuple[int, int, int, int], ...] = ()
    bars: tuple[tuple[int, int, int, int], ...] = ()
    location: tuple[str, ...] = ()
    trust: Trust | None = None
    scripts: bool = False
    mail: Mail | None = None
    patience_s: int = 60
    pictures: int = 3

    @property
    def program(self) -> str:
        """The program that a target has, or not."""
        return self.command.split()[0]


@cache
def all_applications() -> dict[str, Application]:
    """The programs by name: each module of this folder has one or more, as APPLICATIONS."""
    folder = perfboard.measures.display.applications
    modules = (
        importlib.import_module(f"{folder.__name__}.{module.name}")
        for module in pkgutil.iter_modules(folder.__path__)
    )
    found = [getattr(module, "APPLICATIONS", ()) for module in modules]
    return {application.name: application for several in found for application in several}
