# SPDX-License-Identifier: Apache-2.0
"""The protocol of a workload, and the words that a target's script prints for it."""

import importlib
import pkgutil
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import perfboard.measures
from perfboard.bench.job import NotMeasurable, Work
from perfboard.model.profile import Value
from perfboard.model.run import Metric


@dataclass(frozen=True)
class Parameter:
    """A setting of a workload: its default, and its meaning with its unit."""

    default: Value
    help: str


@dataclass(frozen=True)
class Figure:
    """A metric of a workload: its unit, and its meaning."""

    unit: str
    help: str


class Workload(Protocol):
    """Answers a key issue. A module of this folder or of a room has one or more, as WORKLOADS."""

    @property
    def name(self) -> str:
        """Its name in profiles."""

    @property
    def title(self) -> str:
        """The measured thing, in a few words."""

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Its settings, each with its default."""

    @property
    def metrics(self) -> Mapping[str, Figure]:
        """Its metrics by their names."""

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """The user's own commands among the parameters, which run on the target."""

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """The work. It times each thing `repeats` times: once on a board that repeats."""

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """The metrics that the script's output gives. Raises NotMeasurable."""


@cache
def all_workloads() -> dict[str, Workload]:
    """The workloads by name: each module of this folder and its rooms has WORKLOADS."""
    folder = perfboard.measures
    modules = (
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}.")
    )
    found = [getattr(module, "WORKLOADS", ()) for module in modules]
    return {workload.name: workload for several in found for workload in several}


# Debian Policy, section 5.6.1.
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]{1,99}")


def text(parameters: Mapping[str, Value], name: str) -> str:
    """A parameter that is text. Raises NotMeasurable."""
    value = parameters[name]
    if not isinstance(value, str) or "\0" in value:
        raise NotMeasurable(f"{name} is {value!r}; wants text")
    return value


def packages(parameters: Mapping[str, Value]) -> tuple[str, ...]:
    """The Debian packages that the parameter `packages` names. Raises NotMeasurable."""
    names = text(parameters, "packages").split()
    for name in names:
        if not _PACKAGE.fullmatch(name):
            raise NotMeasurable(f"packages: {name!r} is no name of a Debian package")
    return tuple(names)


def whole(parameters: Mapping[str, Value], name: str, least: int = 1) -> int:
    """A parameter that is a whole number. Raises NotMeasurable."""
    value = parameters[name]
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise NotMeasurable(f"{name} is {value!r}; wants a whole number of at least {least}")
    return value
