# SPDX-License-Identifier: Apache-2.0
"""The rows of a guide: those of its file that a command asks for, area by area."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from perfboard.bench.base import Facts
from perfboard.measures.loop import Item, job_of
from perfboard.measures.probe.probes import Probe
from perfboard.model.errors import UsageError
from perfboard.model.profile import Profile, Value
from perfboard.model.results.guide import GuideArea, LeftOutRow
from perfboard.profiles.loader import list_profiles, load_profile, profile_path
from perfboard.studies.sets import check_given, row_item, with_given

Extent = Literal["quick", "usual", "all"]


@dataclass(frozen=True)
class GuidePlan:
    """The items of a guide by the titles of their areas, and the rows that it leaves out.

    A row that is left out has its area, its text and its item.
    """

    name: str
    extent: Extent
    areas: Mapping[str, Sequence[Item]]
    left_out: tuple[tuple[str, str, Item], ...]

    @property
    def items(self) -> list[Item]:
        """All that is measured, each once."""
        return list({item.key: item for items in self.areas.values() for item in items}.values())

    @property
    def probes(self) -> list[Item]:
        """Those of them that run in turn with each other."""
        return [item for item in self.items if is_probe(item)]

    def result_areas(self) -> tuple[GuideArea, ...]:
        """The areas with the places of their items, as the run has them."""
        places = {item.key: place for place, item in enumerate(self.items)}
        return tuple(
            GuideArea(title=title, rows=tuple(dict.fromkeys(places[each.key] for each in items)))
            for title, items in self.areas.items()
            if items
        )

    def result_left_out(self, facts: Facts, times: Mapping[str, float]) -> tuple[LeftOutRow, ...]:
        """The rows that are left out, each with what it writes and takes on that board.

        `times` are what items took in earlier runs, by their keys.
        """
        found = []
        for area, text, item in self.left_out:
            row = LeftOutRow(area=area, row=text, seconds=times.get(item.key))
            if job := job_of(item, facts):
                row = row.model_copy(update={"writes": job.writes, "most_s": job.limit_s})
            found.append(row)
        return tuple(found)


def is_probe(item: Item) -> bool:
    """Whether it is a probe at its defaults, which runs in turn with others."""
    return isinstance(item.measure, Probe) and item.parameters == item.measure.defaults()


def guide_of(names: Sequence[str]) -> tuple[Path, Profile] | None:
    """The guide that the user names, with its file; None: it is something else."""
    if len(names) != 1:
        return None
    (name,) = names
    if name not in list_profiles() and "/" not in name and not name.endswith(".toml"):
        return None
    path = profile_path(name)
    profile = load_profile(path)
    return (path, profile) if profile.area else None


def plan_guide(path: Path, guide: Profile, extent: Extent, given: Mapping[str, Value]) -> GuidePlan:
    """The rows that are asked for, with the parameters `given` where they have them.

    Raises UsageError for a row that is wrong, and a parameter that none of them has.
    """
    areas: dict[str, list[Item]] = {}
    left_out = []
    for area in guide.area:
        asked = {"quick": area.quick, "usual": (*area.quick, *area.more)}
        asked["all"] = (*asked["usual"], *area.all)
        if area.title in areas:
            raise UsageError(f"{path}: area {area.title}: is there twice; give each its own title")
        own = [with_given(row_item(text, area, path), given) for text in asked[extent]]
        areas[area.title] = own
        if extent == "usual":
            left_out += [(area.title, text, row_item(text, area, path)) for text in area.all]
    check_given(given, [item for items in areas.values() for item in items])
    return GuidePlan(guide.profile.name, extent, areas, tuple(left_out))
