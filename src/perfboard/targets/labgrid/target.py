# SPDX-License-Identifier: Apache-2.0
"""A board in a place of labgrid's: by ssh if the place has a network service, else its console."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress
from perfboard.model.run import Evidence
from perfboard.targets.base import Target, refuse_factors
from perfboard.targets.console.shell import ConsoleShell
from perfboard.targets.labgrid.place import WRITTEN, open_place
from perfboard.targets.pipe.ssh import IDLE_S, SHARED_ONLY, remote, shell_over, ssh_version
from perfboard.targets.serial.line import ATTACH_S, CONSOLE_IDLE_S

SCHEME = "labgrid"
FORM = WRITTEN


@contextmanager
def connect(
    text: str, progress: Progress, artifacts: Path | None, factors: Mapping[str, str]
) -> Iterator[Target]:
    refuse_factors(text, factors)
    with open_place(text, progress) as place:
        tools = {"labgrid": place.has.version}
        if not place.has.ssh:
            place.open_console()
            shell = ConsoleShell(place.line)
            with progress.step("looking for a shell on the console", 1):
                shell.attach(ATTACH_S)
            evidence, notes = place.line.evidence, place.notes
            yield Target(text, evidence, shell, CONSOLE_IDLE_S, notes=notes, tools=tools)
            return
        tools["ssh"] = ssh_version()
        with progress.step(f"connecting to {place.name} by labgrid's ssh", 1):
            own, address = place.ssh()

        def ssh(more: Sequence[str], script: str) -> list[str]:
            words = ["ssh", "-T", "-o", "BatchMode=yes", "-o", "ClearAllForwardings=yes", *own]
            return [*words, *more, "--", address, remote(script)]

        def explain(errors: str) -> EnvironmentLacksError:
            words = " ".join(errors.split())[-600:]
            return EnvironmentLacksError(
                f"The connection of labgrid's ssh driver to {place.name} is gone. ssh said: "
                f"{words or 'nothing'}"
            )

        with shell_over(text, ssh, SHARED_ONLY, explain, progress) as over:
            yield Target(text, Evidence.SILICON, over, IDLE_S, tools=tools)
