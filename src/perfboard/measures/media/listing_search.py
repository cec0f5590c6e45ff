# SPDX-License-Identifier: Apache-2.0
"""listing.search: words are searched in a television listing (set-top box study, 2002)."""

import random
import re
from collections.abc import Iterator
from functools import cache
from types import MappingProxyType

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Parameter, Quantity, Setting
from perfboard.measures.reading import example_time, printed, say, time_metrics, timed, times_of
from perfboard.model.rows import row_line
from perfboard.model.run import Metric

DAYS, CHANNELS, HOURS = 10, 100, 24
# The set-top box study's hits. A programme an hour makes 100 of an hour, and 24 of a channel, by
# themselves.
CAR_HITS = 521
QUERIES = {
    "car": ("car", CAR_HITS),
    "8pm": ("03 20:00", CHANNELS),
    "channel": ("08 ..:00 channel 39 ", HOURS),
}
_LENGTH = 430
_SEED = 2002
# None of them, nor two in a row, has "car" in it.
_WORDS = re.findall(
    r"\w+",
    "the a of his her old new long last first night day house river town road sea winter summer "
    "family doctor teacher brother sister friend letter story game music dinner film news sport "
    "quiz travels meets finds loses follows returns to from with without under before behind "
    "young brave lonely famous hidden broken golden silent distant final",
)


@cache
def listing() -> bytes:
    """The listing, about 10 MB, the same everywhere: a line for each programme."""
    chance = random.Random(_SEED)  # noqa: S311 - the same words each time
    count = DAYS * CHANNELS * HOURS
    with_car = set(chance.sample(range(count), CAR_HITS))

    def lines() -> Iterator[str]:
        number = 0
        for day in range(1, DAYS + 1):
            for hour in range(HOURS):
                for channel in range(1, CHANNELS + 1):
                    head = f"{day:02d} {hour:02d}:00 channel {channel} "
                    words = [chance.choice(_WORDS) for _ in range(90)]
                    if number in with_car:
                        words[chance.randrange(10, 50)] = "car"
                    yield (head + " ".join(words))[: _LENGTH - 1]
                    number += 1

    return ("\n".join(lines()) + "\n").encode()


class ListingSearch(Measure):
    """Times the target's own grep."""

    name = "listing.search"
    labels = MappingProxyType({"query": tuple(QUERIES), "output": ("yes", "no")})
    title = "Search of a television listing of 10 MB"
    parameters = (
        Parameter("packages", "", '"grep": a virtual board searches by GNU grep, not busybox\'s'),
    )
    metrics = (
        Quantity(
            "listing.search.time",
            "s",
            "a search: labels query (car, 8pm, channel), output (yes, no)",
        ),
        Quantity("listing.search.busy", "1", "the processor's share of that time"),
    )
    examples = (
        Example(
            "".join(
                example_time(f"{query}.yes", 20_000_000, 10_000)
                + row_line("said", name=f"hits.{query}", text=str(hits))
                + example_time(f"{query}.no", 10_000_000, 10_000)
                + row_line("said", name=f"counts.{query}", text=str(hits))
                for query, (_, hits) in QUERIES.items()
            ),
            {"listing.search.time": 0.02, "listing.search.busy": 0.5},
        ),
    )

    def job(self, setting: Setting) -> Job:
        repeats = setting.repeats
        script = say("grep", "$(grep --version 2>&1 | head -n 1)")
        for query, (pattern, _) in QUERIES.items():
            script += timed(f"{query}.yes", repeats, ["grep", pattern, "listing"], "found")
            script += say(f"hits.{query}", '$(grep -c "" found)')
            # GNU grep stops at the first hit where its output is /dev/null, even if it counts.
            script += timed(f"{query}.no", repeats, ["grep", "-c", pattern, "listing"], "counted")
            script += say(f"counts.{query}", "$(echo $(cat counted))")
        files = {"listing": listing()}
        return Job(script, files, packages=setting.packages(), disk=len(listing()) * 2)

    def read(self, output: str, setting: Setting) -> Finding:
        found, metrics, repeats = times_of(output), list[Metric](), setting.repeats
        for query, (_, hits) in QUERIES.items():
            # The one file has the hits of each repeat, the other their counts.
            wanted = {"hits": str(hits * repeats), "counts": " ".join([str(hits)] * repeats)}
            for what, right in wanted.items():
                if (given := printed(output, f"{what}.{query}")) != right:
                    raise NotMeasurable(
                        f"grep found {given or 'nothing'} lines in {repeats} searches for {query}, "
                        f"where the listing has {hits} each"
                    )
            for shown in ("yes", "no"):
                runs = found.get(f"{query}.{shown}", [])
                labels = {"query": query, "output": shown}
                metrics += time_metrics(self.name, runs, labels)
        return Finding(tuple(metrics))


MEASURES = (ListingSearch(),)
