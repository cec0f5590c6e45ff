# SPDX-License-Identifier: Apache-2.0
"""The prices of boards, in a profile's currency."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfboard.bench.opening import virtual_board
from perfboard.bench.request import Request
from perfboard.model.errors import UsageError
from perfboard.model.target import virtual_name
from perfboard.model.text import nearest


def parse_prices(texts: Sequence[str]) -> dict[str, float]:
    """Prices by board. Raises ValueError for a text that is not BOARD=PRICE."""
    prices = {}
    for text in texts:
        board, _, price = text.partition("=")
        if not board or not re.fullmatch(r"\d{1,9}(\.\d{1,4})?", price):
            raise ValueError(f'"{text}" is not BOARD=PRICE, as in rpi2=35')
        prices[board] = float(price)
    return prices


def _names(request: Request) -> tuple[str, ...]:
    """The names that the board of a request is given a price by."""
    if (loaded := virtual_board(request.target)) is not None:
        return virtual_name(request.target) or "", loaded.board.name
    return (request.place,)


def check_prices(request: Request, given: Mapping[str, float]) -> None:
    """Raises UsageError for the price of a board that is not measured."""
    known = {name for each in (request, *request.others) for name in _names(each)}
    for name in given:
        if name not in known:
            raise UsageError(
                f"--price {name}: that board is not measured here{nearest(name, known)} Give the "
                f"price of {' or '.join(sorted(known))}"
            )


@dataclass(frozen=True)
class Price:
    """The price of a board, in a currency; "": the profile's."""

    amount: float
    currency: str = ""


def price_of(request: Request, given: Mapping[str, float]) -> Price | None:
    """The board's: as it is given, or as its file says, or else the list price that is known."""
    loaded = virtual_board(request.target)
    names = _names(request)
    if own := [given[name] for name in names if name in given]:
        return Price(own[0])
    board = loaded.board if loaded else request.board
    if board is not None and board.price is not None:
        return Price(board.price)
    sold = loaded.board.sold if loaded else None
    return Price(sold.price, sold.currency) if sold and sold.price is not None else None
