# SPDX-License-Identifier: Apache-2.0
"""The graphics processor of the real board, as far as it concerns its memory."""

from perfboard.model.sourced import WithSource
from perfboard.model.tables import Size


class Gpu(WithSource):
    """The memory of the board that it takes by default, which Linux is not given."""

    memory: Size
