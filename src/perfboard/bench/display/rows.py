# SPDX-License-Identifier: Apache-2.0
"""Rows of a watcher that looked at its screen: native/display prints them, or `completed` does."""

from typing import Annotated, Literal

from pydantic import Field

from perfboard.model.rows import Count, Row, Text, Word

_Side = Annotated[int, Field(gt=0, le=2048)]


class TaskRow(Row):
    """One task of a program: its times in ns since it began, `look_ns` the longest look.

    `began_ns` is by the board's own clock; 0: it was not watched. `hash` is of the screen at its
    end. A task that is `refused` has a reason.
    """

    row: Literal["task"] = "task"
    label: Word
    outcome: Literal["ok", "calibration", "refused"]
    began_ns: Count = 0
    first_ns: Count = 0
    final_ns: Count = 0
    stable_ns: Count = 0
    look_ns: Count = 0
    hash: Annotated[str, Field(pattern="^[0-9a-f]{1,16}$")] = "0"
    reason: Text = ""

    @property
    def time_s(self) -> float:
        """From its begin to the last pixel that differs."""
        return self.stable_ns / 1e9


class ExitRow(Row):
    """The exit of a program, in ns since it was asked to."""

    row: Literal["exit"] = "exit"
    label: Word
    outcome: Literal["ok", "refused"]
    took_ns: Count = 0
    reason: Text = ""


class PictureRow(Row):
    """A picture of a film: three bytes in base64 for each run of a colour."""

    row: Literal["picture"] = "picture"
    film: Annotated[str, Field(pattern=r"^[\w-]{1,40}$")]
    moment: Annotated[str, Field(pattern="^[a-z]{1,10}$")]
    time_ns: Count
    width: _Side
    height: _Side
    runs: Annotated[str, Field(pattern="^[A-Za-z0-9+/]{4,}$")]
