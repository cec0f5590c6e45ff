# SPDX-License-Identifier: Apache-2.0
"""The package's build hook: a wheel carries the probe and the watcher for every architecture.

PERFBOARD_ARCHITECTURES names fewer, with spaces between them. An editable install carries none:
they are built when they are first asked for.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_VARIABLE = "PERFBOARD_ARCHITECTURES"


class ProbeBuildHook(BuildHookInterface[Any]):
    """Compiles the probe's binaries, and adds them and their list of probes to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is made; `version` is "editable" for an editable one."""
        if version == "editable":
            return
        # Of the package, these alone are needed here, and can be imported.
        sys.path.insert(0, str(Path(self.root) / "src"))
        from perfboard.binaries.probe_build import ARCHITECTURES, PARTS, build, inputs_of
        from perfboard.binaries.probes import LIST, write_list

        chosen = os.environ.get(_VARIABLE, "").split() or list(ARCHITECTURES)
        if unknown := [name for name in chosen if name not in ARCHITECTURES]:
            self.app.abort(
                f"{_VARIABLE}: there is no architecture {' or '.join(unknown)}. "
                f"Name some of {' '.join(ARCHITECTURES)}, with spaces, or leave it out for all."
            )
        scratch = Path(self.root) / "build" / "probe"
        scratch.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        names = {f"perfboard-{part}.{arch}": (part, arch) for part in PARTS for arch in chosen}
        for done, (name, (part, arch)) in enumerate(names.items()):
            made = scratch / f"{name}.inputs"
            inputs = inputs_of(arch, part)
            if not made.exists() or made.read_text() != inputs:
                self._say(name, done, len(names), time.monotonic() - began)
                build(arch, scratch / name, scratch / "ziglang", part)
                made.write_text(inputs)
        write_list(scratch / LIST)
        for name in (*names, LIST):
            build_data["force_include"][str(scratch / name)] = f"perfboard/binaries/bin/{name}"

    def _say(self, name: str, done: int, count: int, seconds: float) -> None:
        words = f"Building {name}, {done + 1} of {count}"
        if done:
            words += f", about {seconds / done * (count - done):.0f} s left"
        self.app.display_info(words)
        # pip shows nothing of a build while it takes minutes.
        with suppress(OSError), open("/dev/tty", "w") as terminal:  # noqa: PTH123
            print(f"\r{words}", file=terminal)
