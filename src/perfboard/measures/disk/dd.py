# SPDX-License-Identifier: Apache-2.0
"""disk.dd and memory.dd: the target's own dd writes zeros to a file, and to a tmpfs (study B)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from perfboard.bench.bed import Bed
from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.disk.points import FEATURES, failure_of, script_at
from perfboard.measures.reading import timed, times_of
from perfboard.measures.rows import Answer, Figure, limit_of, rated
from perfboard.model.run import Metric
from perfboard.model.units import format_size, format_value

# Without bs=, dd takes 512 bytes.
_BLOCKS = (512, 64 << 10)
_MIB = 1 << 20
_TMPFS = """\
place=
for folder in /dev/shm /run/shm /tmp /run; do
    grep -q " $folder tmpfs " /proc/mounts && [ -w "$folder" ] && place=$folder && break
done
if [ -z "$place" ]; then
    mkdir shm && mount -t tmpfs none shm 2> /dev/null || {
        echo "@failed dd no tmpfs can be written to"; exit 0; }
    place=shm
fi
free=$(df -Pk "$place" | sed -n '$s/^[^ ]* *[0-9]* *[0-9]* *\\([0-9]*\\).*/\\1/p')
[ "${free:-0}" -gt %d ] || { echo "@failed dd no room: $place has ${free:-0} kB free"; exit 0; }
"""


@dataclass(frozen=True)
class Dd:
    """The rows of one place. The file is removed whatever ends the script."""

    name: str
    title: str
    features: tuple[str, ...]
    in_memory: bool

    @property
    def metrics(self) -> Mapping[str, str]:
        """See `Row`."""
        return {
            f"{self.name}.bandwidth": "bytes a second that dd wrote: label block",
            f"{self.name}.busy": "the processor's share of that time, dd's own",
        }

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return 0 if self.in_memory else self._size(bed) * len(_BLOCKS) * bed.repeats

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        size = self._size(bed)
        script = ""
        for block in _BLOCKS:
            # fsync() is no part of study B's dd; that of a file has it all the same.
            words = f"bs={block} count={size // block}{'' if self.in_memory else ' conv=fsync'}"
            command = f'exec dd if=/dev/zero of="$0" {words} 2> /dev/null'
            line = timed(f"dd-{block}", 1, ["sh", "-c", command, "PLACE"])
            script += line.replace("PLACE", '"$place/perfboard-dd.$$"') * bed.repeats
        script = f"trap 'rm -f \"$place/perfboard-dd.$$\"' EXIT HUP INT TERM\n{script}"
        script = _TMPFS % (2 * size // 1024) + script if self.in_memory else script_at(bed, script)
        packages = ("e2fsprogs",) if bed.board and not self.in_memory else ()
        output = bed.run(Work(script, packages=packages, features=self.features, limit_s=900))
        return self._answer(bed, output, size)

    def _answer(self, bed: Bed, output: str, size: int) -> Answer:
        metrics: list[Metric] = []
        figures: list[Figure] = []
        times = times_of(output)
        for block in _BLOCKS:
            runs = [run for run in times.get(f"dd-{block}", []) if not run.status and run.real_s]
            if not runs:
                continue
            labels = {"block": format_size(block)}
            rates = [size // block * block / run.real_s for run in runs]
            shares = [min(1.0, run.busy_s / run.real_s) for run in runs]
            rate, busy = rated(self.name, labels, rates, shares)
            metrics += [rate, busy]
            figures.append(Figure(f"dd by {format_size(block)}", rate, busy))
        if not figures:
            raise NotMeasurable(failure_of(output) or "the target's dd failed")
        return Answer(tuple(metrics), tuple(figures), _short(figures), self._limit(bed, figures))

    def _limit(self, bed: Bed, figures: Sequence[Figure]) -> str:
        if self.in_memory:
            return "the processor and its memory"
        return limit_of(figures[-1].busy, bed.evidence, "disk")

    def _size(self, bed: Bed) -> int:
        """Bytes that dd writes: all of it fits where study B's did."""
        most = 4 if bed.quick or bed.board else 64
        return min(max(bed.ram // 8, _MIB), most * _MIB) // _MIB * _MIB


def _short(figures: Sequence[Figure]) -> str:
    rates = (
        f"{format_value(median(f.metric.samples), 'B/s')} by {f.metric.labels['block']}"
        for f in figures
    )
    return f"dd writes {', '.join(rates)}"


ROWS = (
    Dd("disk.dd", "dd to a file", FEATURES, in_memory=False),
    Dd("memory.dd", "dd to a tmpfs", (), in_memory=True),
)
