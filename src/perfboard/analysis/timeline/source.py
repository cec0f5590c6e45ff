# SPDX-License-Identifier: Apache-2.0
"""The marks of one source, of those that are joined to one timeline."""

from dataclasses import dataclass

from perfboard.model.results.timeline import Sighting


@dataclass(frozen=True)
class SourceMarks:
    """The sightings of one clock. A clock runs true within `bound_ppm` parts in a million."""

    name: str
    marks: tuple[Sighting, ...]
    bound_ppm: float = 100.0
