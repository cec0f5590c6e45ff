# SPDX-License-Identifier: Apache-2.0
"""The frozen pages that browsers load: the same bytes everywhere."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from perfboard.measures.display.applications.script_page import SCRIPT_PAGE
from perfboard.measures.display.films import png

# The sizes of the set-top box study's pages: a shop's, whose 35.6 kB of 1024 bytes these are, and
# a mailing list's index, of which it says only that it is very large.
CART_BYTES = 36_454
INDEX_ENTRIES = 2400
_ITEMS = 5
_COPY = re.compile(r"\.\d\d\.")
_SIDE = 96
_WORDS = (
    "kernel",
    "driver",
    "memory",
    "page",
    "board",
    "network",
    "timer",
    "boot",
    "flash",
    "scheduler",
    "update",
    "report",
    "test",
    "build",
    "release",
    "thread",
    "cache",
    "module",
    "interface",
    "device",
    "console",
    "image",
    "option",
    "error",
    "branch",
    "latency",
    "bandwidth",
)


@cache
def pages(copies: int = 0) -> Mapping[str, bytes]:
    """The files by their names: cart.html with its pictures, the other pages, and copies of cart.

    A copy has other names, as `copy_of` has them, and so no browser has it in its cache.
    """
    found = {"cart.html": _cart(), "index.html": _index(), "script.html": SCRIPT_PAGE.encode()}
    found["between.html"] = f"{_head('Another page')}</body></html>".encode()
    pictures = {f"item{number}.png": _picture(number) for number in range(_ITEMS)}
    for copy in range(copies):
        page = found["cart.html"]
        for name, data in pictures.items():
            page = page.replace(name.encode(), copy_of(name, copy).encode())
            found[copy_of(name, copy)] = data
        found[copy_of("cart.html", copy)] = page
    return {**found, **pictures}


def copy_of(name: str, number: int) -> str:
    """The name of a file's copy, as cart.07.html."""
    stem, _, suffix = name.partition(".")
    return f"{stem}.{number:02d}.{suffix}"


def original_of(name: str) -> str:
    """The name of the file that a file is the copy of, or its own."""
    return _COPY.sub(".", name)


def pseudorandom(seed: int) -> Iterator[int]:
    """Numbers below 2 to the 16: the upper half of a linear congruential generator's."""
    while True:
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        yield seed >> 16


def words(numbers: Iterator[int], count: int) -> str:
    return " ".join(_WORDS[next(numbers) % len(_WORDS)] for _ in range(count))


def _picture(seed: int) -> bytes:
    numbers = pseudorandom(seed)
    palette = [bytes(next(numbers) & 0xFF for _ in range(3)) for _ in range(6)]
    pixels = b"".join(
        palette[(x * 3 // _SIDE + y * 2 // _SIDE + (x // 7 + y // 5) % 2) % len(palette)]
        for y in range(_SIDE)
        for x in range(_SIDE)
    )
    # Without compression: versions of a compressor give other bytes.
    return png(_SIDE, _SIDE, pixels, level=0)


def _head(title: str, style: str = "") -> str:
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>body{{font-family:sans-serif}}{style}</style></head><body><h1>{title}</h1>"
    )


def _cart() -> bytes:
    numbers, end = pseudorandom(2002), "</body></html>"
    text = _head("Shopping cart", "td{border:1px solid #888;padding:4px}") + "<table>"
    for item in range(_ITEMS):
        text += (
            f'<tr><td><img src="item{item}.png" width="{_SIDE}" height="{_SIDE}" alt="item"></td>'
            f"<td><b>Item {item}</b> {words(numbers, 40)}</td><td>1</td>"
            f"<td>{10 + item}.95</td></tr>"
        )
    text += "</table>"
    while len(text) < CART_BYTES:
        text += f"<p>{words(numbers, 30)}</p>"
    return (text[: CART_BYTES - len(end)] + end).encode()


def _index() -> bytes:
    numbers = pseudorandom(924)
    text = _head("Archive by thread") + "<ul>"
    for entry in range(INDEX_ENTRIES):
        subject = words(numbers, 3 + next(numbers) % 6)
        text += (
            f'\n<li><a href="{entry:04d}.html"><strong>Re: {subject}</strong></a> '
            f"<em>{words(numbers, 2).title()}</em>"
        )
    return f"{text}</ul></body></html>".encode()
