# SPDX-License-Identifier: Apache-2.0
"""The functions that a boot's time went to, as an artifact of it has them."""

from typing import Literal

from pydantic import ConfigDict, Field

from perfboard.model.record import Record
from perfboard.model.results.program import FunctionTime

# Stands for the file of code that was recognised by none.
UNKNOWN = "code without symbols"


class PhaseFunctions(Record):
    """All functions that ran in one phase, the longest first."""

    phase: str
    functions: tuple[FunctionTime, ...]


class BootFunctions(Record):
    """The phases of one boot, in their order."""

    schema_: Literal["perfboard.functions/1"] = Field("perfboard.functions/1", alias="schema")
    phases: tuple[PhaseFunctions, ...]

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
