# SPDX-License-Identifier: Apache-2.0
"""Brakes on a target's processor while probes run: quotas, limits, heat, other programs.

Its settings and counters are read through the target's shell, before the probes and after
them. The rest is what each process of a probe reports of its own time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from perfboard.model.results.probes import ProbeProcess
from perfboard.model.units import format_value
from perfboard.targets.base import Shell

_CPUFREQ = "/sys/devices/system/cpu/cpufreq"
_LIMITS = ("cpuinfo_max_freq", "scaling_max_freq", "bios_limit")
_POLICY = ("related_cpus", *_LIMITS, "scaling_governor", "scaling_driver")
_STAT = "/proc/stat"
_PERCENT = "/sys/devices/system/cpu/intel_pstate/max_perf_pct"
# With what a shell has itself, and sleep. Each line of a file, after the file's path; then the
# quotas of the shell's control group and of those around it, as versions 1 and 2 have them.
SCRIPT = rf"""exec 2>/dev/null
_show() {{
for _f in "$@"; do while read -r _l; do
case $_f$_l in {_STAT}[!c]*) break;; esac
echo "$_f=$_l"
done <"$_f"; done
}}
for _d in {_CPUFREQ}/policy*; do for _n in {" ".join(_POLICY)}; do _show "$_d/$_n"; done; done
_show {_PERCENT}
while IFS=: read -r _n _c _p; do
case ,$_c, in ,,) _b=/sys/fs/cgroup;; *,cpu,*) _b=/sys/fs/cgroup/$_c;; *) continue;; esac
_p=${{_p%/}}
while :; do
for _n in cpu.max cpu.cfs_quota_us cpu.cfs_period_us cpu.stat; do _show "$_b$_p/$_n"; done
case $_p in */*) _p=${{_p%/*}};; *) break;; esac
done
done </proc/self/cgroup
_show {_STAT}
sleep 1
_show {_STAT}
"""
# The columns of /proc/stat in which a processor is idle, and those that are parts of others.
_IDLE, _COLUMNS = (3, 4), 8
# Smaller shares are not mentioned: a target's own services take as much.
_BUSY, _STOLEN = 0.1, 0.01
# By how much a processor may be slower than its limit says, and its readings may differ.
_SLOW, _UNSTEADY = 0.85, 0.93
# Governors of these drivers choose a frequency by the load, though one is called powersave.
_DRIVERS = ("intel_pstate", "amd-pstate-epp", "amd_pstate_epp")


@dataclass(frozen=True)
class Conditions:
    """The lines of the target's files, by their paths."""

    files: Mapping[str, tuple[str, ...]]

    def number(self, path: str) -> int | None:
        """The number in a file of one; None: there is none."""
        text = "".join(self.files.get(path, ()))
        return int(text) if _is_number(text) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def read_conditions(shell: Shell) -> Conditions:
    """The target's conditions now, over a second in which no probe runs.

    Files that its kernel does not have are left out. Raises TargetError where the shell does.
    """
    files: dict[str, list[str]] = {}
    for line in shell.run(SCRIPT).output.splitlines():
        path, _, text = line.partition("=")
        if path.startswith("/"):
            files.setdefault(path, []).append(text.strip()[:200])
    return Conditions({path: tuple(lines) for path, lines in files.items()})


def condition_notes(
    before: Conditions, after: Conditions | None, processes: Sequence[ProbeProcess]
) -> tuple[str, ...]:
    """A note for each thing that held the probes back; `after` is None where they were stopped."""
    return (
        *_quotas(before, after),
        *_frequency_limits(before, processes),
        *_heat(processes),
        *_neighbours(before, after),
        *_steal(processes),
    )


def _quotas(before: Conditions, after: Conditions | None) -> Iterator[str]:
    for path, lines in before.files.items():
        folder, _, name = path.rpartition("/")
        if name == "cpu.max":
            words = " ".join(lines).split()
        elif name == "cpu.cfs_quota_us":
            words = [*lines, *before.files.get(f"{folder}/cpu.cfs_period_us", ())]
        else:
            continue
        if len(words) != 2 or not all(map(_is_number, words)):
            continue
        quota, period = (float(word) for word in words)
        if not period:
            continue
        what = f"A CPU quota ({path}) gives the target's programs {quota / period:.2g} processors"
        was = _throttled(before, folder)
        now = _throttled(after, folder) if after else None
        if was is None or now is None:
            if quota < period:
                yield f"{what}; it may have held the probes back."
        elif now[0] > was[0]:
            yield (
                f"{what}; it stopped them {now[0] - was[0]:,} times while the probes ran, for "
                f"{format_value(now[1] - was[1], 's')} in all: figures are slower for that."
            )


def _throttled(conditions: Conditions, folder: str) -> tuple[int, float] | None:
    """How often a quota stopped programs, and for how many seconds."""
    lines = conditions.files.get(f"{folder}/cpu.stat", ())
    found = {
        name: int(value)
        for name, _, value in (line.partition(" ") for line in lines)
        if _is_number(value)
    }
    if "nr_throttled" not in found:
        return None
    seconds = found.get("throttled_usec", 0) / 1e6 + found.get("throttled_time", 0) / 1e9
    return found["nr_throttled"], seconds


def _frequency_limits(before: Conditions, processes: Sequence[ProbeProcess]) -> Iterator[str]:
    cpus = {str(process.cpu) for process in processes if process.cpu is not None}
    measured = _frequencies(processes)
    for path in before.files:
        folder, _, name = path.rpartition("/")
        group = "".join(before.files.get(f"{folder}/related_cpus", ())).split()
        if name != _LIMITS[0] or (cpus and group and not cpus & set(group)):
            continue
        most = 1000 * (before.number(path) or 0)
        processor = f"Processor {', '.join(group)}" if group else "A processor"
        limited = False
        for limit in _LIMITS[1:]:
            value = 1000 * (before.number(f"{folder}/{limit}") or 0)
            if 0 < value < most:
                limited = True
                yield (
                    f"{processor} is held to {format_value(value, 'Hz')} of its "
                    f"{format_value(most, 'Hz')} ({limit}): figures are slower for that."
                )
        governor = "".join(before.files.get(f"{folder}/scaling_governor", ()))
        driver = "".join(before.files.get(f"{folder}/scaling_driver", ()))
        if governor == "powersave" and driver not in _DRIVERS:
            limited = True
            yield (
                f"{processor} has the governor powersave, which keeps it at its lowest frequency: "
                "figures are slower for that."
            )
        if measured and not limited and median(measured) < _SLOW * most:
            yield (
                f"{processor} ran at {format_value(median(measured), 'Hz')}, though its kernel "
                f"says that it may at {format_value(most, 'Hz')}: its firmware, heat or a "
                "governor may have held it back."
            )
    percent = before.number(_PERCENT)
    if percent is not None and percent < 100:
        yield (
            f"Processors are held to {percent} % of their speed (intel_pstate/max_perf_pct): "
            "figures are slower for that."
        )


def _frequencies(processes: Sequence[ProbeProcess]) -> list[float]:
    """The frequencies that the probes' own processor was seen at, in Hz."""
    names = ("frequency_before_hz", "frequency_after_hz")
    found = (process.disturbances.get(name, 0.0) for process in processes for name in names)
    return [value for value in found if value > 0]


def _heat(processes: Sequence[ProbeProcess]) -> Iterator[str]:
    throttled = sum(process.disturbances.get("throttled", 0.0) for process in processes)
    if throttled > 0:
        yield (
            f"The processor slowed itself down against heat {throttled:,.0f} times while the "
            "probes ran: figures may be slower for that."
        )
    names = ("cooling_before_state", "cooling_after_state")
    cooled = sum(
        any(process.disturbances.get(name, 0.0) > 0 for name in names) for process in processes
    )
    if cooled:
        yield (
            f"The kernel slowed processors down against heat during {cooled} of the probes' "
            f"{len(processes)} processes: figures may be slower for that."
        )
    measured = _frequencies(processes)
    if len(measured) > 3:
        low, _, high = quantiles(measured, n=4)
        if low < _UNSTEADY * high:
            yield (
                f"The processor's frequency was not steady: {format_value(low, 'Hz')} or less in "
                f"a quarter of the readings, {format_value(high, 'Hz')} or more in another."
            )


def _neighbours(before: Conditions, after: Conditions | None) -> Iterator[str]:
    found = {"before": _busy(before), "after": _busy(after) if after else None}
    words = [
        f"{busy[0]:.1f} of {busy[1]} processors {when}"
        for when, busy in found.items()
        if busy and busy[0] >= _BUSY
    ]
    if words:
        yield (
            f"Other programs ran on the target: they used {' the probes ran, and '.join(words)} "
            "the probes ran. If they share a processor, a cache or the memory with a probe, "
            "its figures are slower."
        )


def _busy(conditions: Conditions) -> tuple[float, int] | None:
    """How many processors were busy while nothing was measured, and how many there are."""
    seen: dict[str, list[list[int]]] = {}
    for line in conditions.files.get(_STAT, ()):
        name, *columns = line.split()[: 1 + _COLUMNS] or [""]
        if name and all(_is_number(column) for column in columns):
            seen.setdefault(name, []).append([int(column) for column in columns])
    busy, count = 0.0, 0
    for name, looks in seen.items():
        if name == "cpu" or len(looks) != 2 or len(looks[0]) != len(looks[1]):
            continue
        spent = [now - was for was, now in zip(*looks, strict=True)]
        total, idle = sum(spent), sum(spent[slice(_IDLE[0], _IDLE[1] + 1)])
        if total > 0:
            count += 1
            busy += max(0, total - idle) / total
    return (busy, count) if count else None


def _steal(processes: Sequence[ProbeProcess]) -> Iterator[str]:
    stolen = sum(process.disturbances.get("steal_s", 0.0) for process in processes)
    elapsed = sum(process.elapsed_s for process in processes)
    if elapsed > 0 and stolen > _STOLEN * elapsed:
        yield (
            f"A hypervisor gave {stolen / elapsed:.0%} of the probes' time to others (steal time, "
            f"{format_value(stolen, 's')}): figures are slower for that."
        )
