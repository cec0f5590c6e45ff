# SPDX-License-Identifier: Apache-2.0
"""image.index: a page of a card's pictures is made, each scaled to an eighth (study D)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.base import Figure, Parameter, whole
from perfboard.measures.media.image_scale import picture
from perfboard.measures.reading import ended_runs, printed, time_metrics, timed
from perfboard.model.profile import Value
from perfboard.model.run import Metric

# The first 16 digits of the SHA-256 sum of each size's picture, which cjpeg of libjpeg-turbo 2.1.5
# wrote with a quality of 90. Others make another picture, whose times do not compare.
SUMS = {
    (640, 480): "2f832cb7ed9eb425",
    (1024, 768): "374d3e621efc1b35",
    (1280, 960): "bfe7fe1cf126c030",
    (1600, 1200): "7f4f17fcfdd680a9",
}
_MOST_PICTURES = 52
_INDEX = """\
mkdir -p index && echo '<html><body>' > index/index.html
for name in card/*.jpg; do
    small=${name##*/}
    djpeg -scale 1/8 "$name" | cjpeg > "index/$small" || exit 1
    echo "<a href=\\"../$name\\"><img src=\\"$small\\" alt=\\"$small\\"></a>" >> index/index.html
done
echo '</body></html>' >> index/index.html
"""


@dataclass(frozen=True)
class ImageIndex:
    """Times a shell script that makes the page of a folder of pictures.

    All are copies of one, which cjpeg makes; that is not timed. The time is a picture's share.
    """

    name: str = "image.index"
    title: str = "Index page of a card's pictures"
    parameters: Mapping[str, Parameter] = field(
        default_factory=lambda: {
            "width": Parameter(640, "pixels: 640, 1024, 1280 or 1600"),
            "height": Parameter(480, "pixels: 480, 768, 960 or 1200"),
            "pictures": Parameter(4, "on the card, 1 to 52; the time is that of one"),
        }
    )
    metrics: Mapping[str, Figure] = field(
        default_factory=lambda: {
            "image.index.time": Figure("s", "a picture read, scaled, written, and put on the page"),
            "image.index.busy": Figure("1", "the processor's share of that time"),
        }
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return ()

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        size, pictures = _size(parameters), whole(parameters, "pictures")
        if pictures > _MOST_PICTURES:
            raise NotMeasurable(f"wants at most {_MOST_PICTURES} pictures")
        pixels = picture(*size)
        script = f"""\
mkdir card && cjpeg -quality 90 picture.ppm > card/1.jpg && rm picture.ppm || exit 1
echo "@say sum $(sha256sum < card/1.jpg | cut -c 1-16)"
number=1
while [ "$number" -lt {pictures} ]; do
    number=$((number + 1)) && cp card/1.jpg "card/$number.jpg" || exit 1
done
"""
        script += timed("index", repeats, ["sh", "index.sh"])
        script += 'echo "@say entries $(grep -c "<img" index/index.html)"\n'
        return Work(
            script,
            {"picture.ppm": pixels, "index.sh": _INDEX.encode()},
            packages=("libjpeg-turbo-progs",),
            codecs={"libjpeg-turbo-progs": "libjpeg-turbo"},
            programs=("djpeg", "cjpeg"),
            data=len(pixels) + 2 * pictures * len(pixels) // 8,
            limit_s=3600,
        )

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        pictures = whole(parameters, "pictures")
        runs = ended_runs(output, "index", "djpeg or cjpeg")
        if (entries := printed(output, "entries")) != str(pictures):
            raise NotMeasurable(f"the page has {entries or 'no'} pictures, not {pictures}")
        if (found := printed(output, "sum")) != (wanted := SUMS[_size(parameters)]):
            raise NotMeasurable(
                "its cjpeg makes another picture than libjpeg-turbo's: SHA-256 "
                f"{found or 'unknown'}, not {wanted}"
            )
        return tuple(time_metrics(self.name, runs, units=pictures))


def _size(parameters: Mapping[str, Value]) -> tuple[int, int]:
    size = whole(parameters, "width"), whole(parameters, "height")
    if size not in SUMS:
        known = ", ".join(f"{width} x {height}" for width, height in SUMS)
        raise NotMeasurable(f"wants pictures of one of these sizes: {known}")
    return size


WORKLOADS = (ImageIndex(),)
