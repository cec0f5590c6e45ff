# SPDX-License-Identifier: Apache-2.0
"""Gates between builds of one image: rebuilt, edited without effect, and with a planted loop.

    python benchmarks/rebuilds.py [--rebuilds 30] [--edits 20]

The image is verdex's kernel, and its root file system with one more program, which an init script
runs. A rebuild has another path, date and order of files; an edit changes a comment, the length of
a string or a name in that program or its script; the planted loop runs 1000 instructions more. Each
is booted once, timed, and judged by the gate against the first.
"""

import argparse
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from perfboard.analysis.gate.artifacts import with_functions
from perfboard.analysis.gate.change import GateLevel, Rules
from perfboard.analysis.gate.judge import Judgement
from perfboard.analysis.gate.turns import judge_exact
from perfboard.bench.lab import Lab
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.images.image import Image, build_image
from perfboard.model.progress import SilentProgress
from perfboard.model.run import Run
from perfboard.store.folder import find_run
from perfboard.store.image import read_functions
from perfboard.studies.gate.study import GateOptions, side_of

_PROGRAM = """\
/* {comment} */
#include <unistd.h>

static const char words[] = "{words}";

static void wait_a_little(void)
{{
\tfor (volatile unsigned n = 0; n < {loops}; n++)
\t\t;
}}

int main(void)
{{
\twait_a_little();
\treturn write(1, words, sizeof(words) - 1) < 0;
}}
"""
_SCRIPT = "#!/bin/sh\n# {comment}\n/usr/bin/little >/dev/null\n"


def build(
    folder: Path,
    image: Image,
    *,
    loops: int = 100,
    words: str = "ready\\n",
    comment: str = "Waits.",
    script: str = "Waits.",
    seed: int = 0,
    scattered: bool = False,
) -> Path:
    """The file of a board whose root file system has that program.

    `seed` chooses the date and the order in which the tree's files are made, and, where they are to
    lie `scattered`, the order in the image.
    """
    chance = random.Random(seed)  # noqa: S311
    tree = folder / "tree"
    bank = image.banks[1].read_bytes()
    at = bank.index(b"hsqs")
    (folder / "plain.squashfs").write_bytes(bank[at : at + image.sizes["root"]])
    made = folder / "made"
    plain = ("unsquashfs", "-no-progress", "-excludes", "-d", str(made))
    _run(*plain, str(folder / "plain.squashfs"), "dev/console")
    _copy(made, tree, chance if seed else None)
    source = folder / "little.c"
    source.write_text(_PROGRAM.format(comment=comment, words=words, loops=loops))
    _run("arm-linux-gnueabihf-gcc", "-O2", "-o", str(tree / "usr/bin/little"), str(source))
    started = tree / "etc/init.d/S65little"
    started.write_text(_SCRIPT.format(comment=script))
    started.chmod(0o755)
    paths = [str(p.relative_to(tree)) for p in sorted(tree.rglob("*")) if p.is_file()]
    order = folder / "order.txt"
    if scattered:
        chance.shuffle(paths)
    order.write_text("".join(f"{path} {len(paths) - n}\n" for n, path in enumerate(paths)))
    date = str(chance.randrange(1_600_000_000, 1_900_000_000) if seed else 0)
    root = folder / "rootfs.squashfs"
    pack = ("mksquashfs", str(tree), str(root), "-noappend", "-no-progress", "-sort", str(order))
    node = ("-p", "dev/console c 600 0 0 5 1")
    _run(*pack, *node, "-all-root", "-no-xattrs", "-mkfs-time", date, "-all-time", date)
    kernel = image.kernel_file
    new = ("boards", "new", "board", "--like", "verdex", "--kernel", str(kernel))
    files = ["--system-map", str(kernel.with_name("System.map")), "--root", str(root)]
    command = [sys.executable, "-m", "perfboard.cli.main", *new, *files]
    kept = ("--usable", "exec:S99usable")
    subprocess.run([*command, *kept], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with (folder / "board.toml").open("a") as board:
        board.write(f'\n[image]\ntree = "{tree}"\n')
    return folder / "board.toml"


def _copy(source: Path, copy: Path, chance: random.Random | None) -> None:
    """The tree, its entries made in an order of chance."""
    copy.mkdir()
    entries = sorted(source.iterdir())
    if chance:
        chance.shuffle(entries)
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink():
            _copy(entry, copy / entry.name, chance)
        else:
            shutil.copy2(entry, copy / entry.name, follow_symlinks=False)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def judged(before: Run, after: Run, fail_above: float) -> Judgement:
    """The gate's answer, with the functions that both boots left."""
    found = judge_exact(before, after, Rules(fail_above=fail_above))
    return with_functions(found, *(read_functions(find_run(run.id)) for run in (before, after)))


def main() -> None:
    """Prints how far rebuilds and edits move a boot, and which gates are red."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rebuilds", type=int, default=30)
    parser.add_argument("--edits", type=int, default=20)
    options = parser.parse_args()
    image = build_image(choose(load_board("verdex"), {}), SilentProgress())
    kinds: dict[str, Sequence[Mapping[str, object]]] = {
        "rebuilt": [{"seed": n + 1} for n in range(options.rebuilds)],
        "scattered at random": [
            {"seed": n + 1, "scattered": True} for n in range(options.rebuilds // 3)
        ],
        "edited": [_edit(n) for n in range(options.edits)],
        "planted loop of 1000 instructions": [{"loops": 100 + 1000 // 6}],
    }
    with tempfile.TemporaryDirectory(prefix="perfboard-rebuilds-") as name:
        first = boot(Path(name) / "first", image, {})
        for kind, changes in kinds.items():
            shifts, red, exact = [], 0, 0
            for n, change in enumerate(changes):
                run = boot(Path(name) / f"{kind.partition(' ')[0]}-{n}", image, change)
                usual, strict = judged(first, run, 0.005), judged(first, run, 0.0)
                shifts.append(strict.findings[0].difference * 1e6)
                red += usual.level is GateLevel.WORSE
                exact += strict.level is GateLevel.WORSE
                causes = [cause.name for cause in strict.causes if cause.kind == "function"]
                more = strict.findings[-1].difference
                print(
                    f"  {kind} {change}: {shifts[-1]:+.1f} us, {more:+.0f} instructions of "
                    f"programs: {strict.level}; {causes[:1]}",
                    flush=True,
                )
            print(
                f"{kind}: {len(shifts)} boots moved by {min(shifts):+.1f} to {max(shifts):+.1f} us "
                f"(median {statistics.median(shifts):+.1f}); red above 0.5%: {red}, "
                f"above 0: {exact}"
            )


def _edit(n: int) -> dict[str, str]:
    """A change that no instruction of a program tells, but for the length of what it writes."""
    return (
        {"comment": f"Waits, {'x' * n}."},
        {"script": f"Waits, {'x' * n}."},
        {"words": f"ready {'x' * n}\\n"},
    )[n % 3]


def boot(folder: Path, image: Image, change: Mapping[str, object]) -> Run:
    """The run of one timed boot of that build."""
    folder.mkdir()
    path = build(folder, image, **change)  # type: ignore[arg-type]
    return side_of(str(path), GateOptions(), ("benchmarks/rebuilds.py",)).measure(Lab())


if __name__ == "__main__":
    main()
