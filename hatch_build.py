# SPDX-License-Identifier: Apache-2.0
"""The package's build hook: a wheel carries the probe for every architecture.

An editable install carries none: they are built when they are first asked for.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProbeBuildHook(BuildHookInterface[Any]):
    """Compiles the probe's binaries, and adds them and their list of probes to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is made; `version` is "editable" for an editable one."""
        if version == "editable":
            return
        # Of the package, these alone are needed here, and can be imported.
        sys.path.insert(0, str(Path(self.root) / "src"))
        from perfboard.binaries.applets import LIST, write_list
        from perfboard.binaries.probe_build import ARCHITECTURES, build

        scratch = Path(self.root) / "build" / "probe"
        scratch.mkdir(parents=True, exist_ok=True)
        for arch in ARCHITECTURES:
            name = f"perfboard-probe.{arch}"
            self.app.display_info(f"Building {name}")
            build(arch, scratch / name, scratch / "ziglang")
        write_list(scratch / LIST)
        for name in (*(f"perfboard-probe.{arch}" for arch in ARCHITECTURES), LIST):
            build_data["force_include"][str(scratch / name)] = f"perfboard/binaries/bin/{name}"
