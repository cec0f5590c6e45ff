# SPDX-License-Identifier: Apache-2.0
"""How fast a board's flash is read at each of its set-ups: the boot study's first table."""

import json
from importlib.metadata import version
from pathlib import Path

from perfboard.bench.lab import Lab
from perfboard.binaries.probe_build import source_folder
from perfboard.boards.scope_text import TIMED
from perfboard.factors.choose import choose
from perfboard.host.cache.cache import cached, hash_tree
from perfboard.model.errors import PerfboardError, TargetError
from perfboard.model.run import Metric
from perfboard.model.target import virtual_target
from perfboard.probes.records import Merger, read_process
from perfboard.studies.tune.plan import TunePlan

FACTOR = "flash"
READ_BANDWIDTH = "flash.read.bandwidth"
_PROBE = "flash.read"
# The time of the one process, in seconds of the board's clock, shared among the sizes: a block of 1
# MiB takes half a second if the flash is slow.
_SECONDS = 40
_LIMIT_S = 600


def flash_bandwidths(plan: TunePlan, lab: Lab) -> tuple[list[Metric], list[str]]:
    """The metrics of the probe flash.read, through MTD, at each set-up: their label `flash`.

    None for a board whose flash has no set-ups, is not timed, or is to stay as it is. Earlier
    readings come from the cache. One process reads, since a board that is timed repeats exactly. A
    sentence gives the reason for each set-up that could not be read.
    """
    found: list[Metric] = []
    problems: list[str] = []
    timing = plan.board.timing
    varied = len(plan.space.levels.get(FACTOR, ())) > 1
    if timing is None or not varied or not plan.start.timed:
        return found, problems
    for level in timing.factors.get(FACTOR, ()):
        try:
            folder = _read(plan, level, lab)
        except PerfboardError as error:
            problems.append(f"{FACTOR}={level} was not read: {error}")
            continue
        for line in json.loads((folder / "metrics.json").read_text()):
            metric = Metric.model_validate(line)
            labels = {**metric.labels, FACTOR: level}
            # The processes that took its samples are none of the tune's.
            found.append(metric.model_copy(update={"labels": labels, "processes": ()}))
    return found, problems


def _read(plan: TunePlan, level: str, lab: Lab) -> Path:
    variant = choose(plan.start.loaded, {**TIMED, FACTOR: level})
    board = variant.board
    image = lab.build(variant, lab.progress)
    sources = source_folder()
    inputs = {
        "emulator": lab.emulator(board.machine.emulator),
        "board": board.model_dump_json(include={"machine", "console"}),
        "scope": lab.scope(board, lab.progress).parent.name,
        "timing": variant.timing or "",
        "probe": hash_tree(sources) if sources.is_dir() else version("perfboard"),
        "seconds": str(_SECONDS),
        **{f"image {name}": hash for name, hash in image.hashes.items()},
    }

    def build(folder: Path) -> None:
        target_name = virtual_target(plan.board_name)
        with (
            lab.open(target_name, lab.progress, None, variant.levels) as target,
            lab.probe(target, lab.progress) as session,
            lab.progress.step(f"reading the flash, {level}", 1),
        ):
            answer = session.run(_PROBE, ["--seconds", str(_SECONDS)], _LIMIT_S)
        report = read_process(_PROBE, 0, answer.lines, answer.end)
        if report.process.refused:
            raise TargetError("garbage", report.process.refused)
        merger = Merger()
        merger.add(report)
        found = [metric.model_dump(mode="json") for metric in merger.metrics()]
        (folder / "metrics.json").write_text(json.dumps(found))

    return cached("flash-read", inputs, build, lab.progress)
