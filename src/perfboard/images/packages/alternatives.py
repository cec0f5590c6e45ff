# SPDX-License-Identifier: Apache-2.0
"""Debian's alternatives, read from the scripts of packages.

A script is never run: lines that name all they install literally are read, as in
`update-alternatives --install LINK NAME PATH PRIORITY --slave LINK NAME PATH`, and any
other is passed by, such as one with a variable.
"""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

_COMMAND = "update-alternatives"
_PLACE = re.compile(r"(?:/[A-Za-z0-9_+:@-][A-Za-z0-9._+:@-]*)+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+:@-]*")
_PRIORITY = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True)
class Alternative:
    """The links to install as `name`, each with its target, the main one first."""

    name: str
    priority: int
    links: tuple[tuple[str, str], ...]


def read_alternatives(script: str) -> Iterator[Alternative]:
    """The alternatives that a package's script installs literally."""
    for line in script.replace("\\\n", " ").splitlines():
        words = line.split()
        if words[:1] != [_COMMAND]:
            continue
        words = [word for word in words[1:] if word not in ("--quiet", "--force")]
        main, *rest = words[:5], *(words[at : at + 4] for at in range(5, len(words), 4))
        match main:
            case ["--install", link, name, path, priority] if _PRIORITY.fullmatch(priority):
                found = [(link, name, path)]
            case _:
                continue
        for group in rest:
            match group:
                case ["--slave", link, name, path]:
                    found.append((link, name, path))
                case _:
                    break
        else:
            if all(
                _PLACE.fullmatch(link) and _NAME.fullmatch(name) and _PLACE.fullmatch(path)
                for link, name, path in found
            ):
                links = tuple((link, path) for link, _, path in found)
                yield Alternative(found[0][1], int(priority), links)


def choose_links(found: Iterable[Alternative], there: Container[str]) -> dict[str, str]:
    """The target of each link: for each name the highest priority's, among equals the first's.

    `there` has the paths that a link may lead to; without its main one an alternative
    does not count.
    """
    best: dict[str, Alternative] = {}
    for one in found:
        known = best.get(one.name)
        if one.links[0][1] in there and (known is None or one.priority > known.priority):
            best[one.name] = one
    return {link: path for name in sorted(best) for link, path in best[name].links if path in there}
