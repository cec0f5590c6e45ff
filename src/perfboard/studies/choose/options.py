# SPDX-License-Identifier: Apache-2.0
"""The options of `perfboard choose`."""

from collections.abc import Mapping
from dataclasses import dataclass

from perfboard.analysis.probability import SURE
from perfboard.bench.options import BenchOptions
from perfboard.model.options import option
from perfboard.studies.choose.prices import parse_prices


def _parse_sure(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0.5 <= share < 1:
        raise ValueError(f'"{text}" is not a probability from 0.5 to below 1, as 0.9 or 90%')
    return share


@dataclass(frozen=True)
class ChooseOptions(BenchOptions):
    """The options of `perfboard choose`."""

    profile: str = option(
        "",
        "the profile: a name that `perfboard profiles` lists, or a file",
        metavar="PROFILE",
        positional=True,
    )
    sure: float = option(
        SURE,
        f"how likely a board has to keep all budgets to be recommended (default: {SURE:g})",
        parse=_parse_sure,
        metavar="P",
    )
    only: tuple[str, ...] = option(
        (), "measure this row alone; repeatable", parse=tuple, metavar="ROW", repeated=True
    )
    all_rows: str = option(
        "",
        "also measure what is left of a board that fails already",
        switch=True,
    )
    price: Mapping[str, float] = option(
        {},
        "what a board costs, in the profile's currency (default: `price` in its file, else its "
        "list price); repeatable",
        parse=parse_prices,
        metavar="BOARD=PRICE",
        repeated=True,
    )
    scheduler: str = option(
        "",
        "a Dask Distributed scheduler that spreads the virtual boards over machines",
        metavar="ADDRESS",
    )
    yes: str = option(
        "",
        "run what a profile brings that does not come with Perfboard: commands, files, packages",
        switch=True,
    )
