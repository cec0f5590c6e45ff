# SPDX-License-Identifier: Apache-2.0
"""image.index: a page of a card's pictures is made, each scaled to an eighth."""

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Parameter, Quantity, Setting
from perfboard.measures.media.image_scale import picture_line, strip
from perfboard.measures.reading import ended_runs, example_time, printed, say, time_metrics, timed
from perfboard.model.rows import row_line

# The first 16 digits of the SHA-256 sum of each size's picture, which cjpeg of libjpeg-turbo 2.1.5
# wrote with a quality of 90. Others make another picture, whose times do not compare.
SUMS = {
    (640, 480): "6df092b8ab208a11",
    (1024, 768): "2a241ff95c544e2f",
    (1280, 960): "57660eed55eaa3ed",
    (1600, 1200): "f62b3e066880fe65",
    (2048, 1536): "5a68259314d7de33",
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


class ImageIndex(Measure):
    """Times a shell script that makes the page of a folder of pictures.

    All are one, which cjpeg makes, under many names; that is not timed. The time is that of one
    picture.
    """

    name = "image.index"
    title = "Index page of a card's pictures"
    parameters = (
        Parameter("width", 2048, "pixels: 640, 1024, 1280, 1600 or 2048"),
        Parameter("height", 1536, "pixels: 480, 768, 960, 1200 or 1536"),
        Parameter("pictures", 4, "on the card, 1 to 52; the time is that of one"),
    )
    metrics = (
        Quantity("image.index.time", "s", "a picture read, scaled, written, and put on the page"),
        Quantity("image.index.busy", "1", "the processor's share of that time"),
    )
    examples = (
        Example(
            example_time("index", 2 * 10**9, 10**6)
            + row_line("said", name="sum", text=SUMS[2048, 1536])
            + row_line("said", name="entries", text="4"),
            {"image.index.time": 0.5, "image.index.busy": 0.5},
        ),
    )

    def job(self, setting: Setting) -> Job:
        size, pictures = _size(setting), setting.whole("pictures")
        if pictures > _MOST_PICTURES:
            raise NotMeasurable(f"needs at most {_MOST_PICTURES} pictures")
        pixels = strip(size[0])
        # Links are as good as copies, and take no more memory.
        script = f"""\
mkdir card || exit 1
{picture_line(*size, "card/1.jpg")}\
{say("sum", "$(sha256sum < card/1.jpg | cut -c 1-16)")}\
number=1
while [ "$number" -lt {pictures} ]; do
    number=$((number + 1)) && {{ ln card/1.jpg "card/$number.jpg" 2> /dev/null ||
        cp card/1.jpg "card/$number.jpg"; }} || exit 1
done
"""
        script += timed("index", setting.repeats, ["sh", "index.sh"])
        script += say("entries", '$(grep -c "<img" index/index.html)')
        return Job(
            script,
            {"strip": pixels, "index.sh": _INDEX.encode()},
            packages=("libjpeg-turbo-progs",),
            codecs={"libjpeg-turbo-progs": "libjpeg-turbo"},
            programs=("djpeg", "cjpeg"),
            disk=len(pixels) + (1 + pictures) * size[0] * size[1] * 3 // 4,
            limit_s=3600,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        pictures = setting.whole("pictures")
        runs = ended_runs(output, "index", "djpeg or cjpeg")
        if (entries := printed(output, "entries")) != str(pictures):
            raise NotMeasurable(f"the page has {entries or 'no'} pictures, not {pictures}")
        if (found := printed(output, "sum")) != (wanted := SUMS[_size(setting)]):
            raise NotMeasurable(
                "its cjpeg makes another picture than libjpeg-turbo's: SHA-256 "
                f"{found or 'unknown'}, not {wanted}"
            )
        return Finding(tuple(time_metrics(self.name, runs, units=pictures)))


def _size(setting: Setting) -> tuple[int, int]:
    size = setting.whole("width"), setting.whole("height")
    if size not in SUMS:
        known = ", ".join(f"{width} x {height}" for width, height in SUMS)
        raise NotMeasurable(f"needs pictures of one of these sizes: {known}")
    return size


MEASURES = (ImageIndex(),)
