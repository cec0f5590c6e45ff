# SPDX-License-Identifier: Apache-2.0
"""The tools of a study. The command line makes the real ones; tests hand in others."""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from perfboard.host.programs.authority import Authority, kept_authority, make_authority
from perfboard.host.programs.tools import Use, require_tools
from perfboard.images.image import Image, build_image
from perfboard.images.network import build_scope
from perfboard.images.program.base import ProgramJob, TrialBase, build_trial_base
from perfboard.images.program.codecs import BuiltCodec, build_codec
from perfboard.images.program.toolkits import build_toolkit
from perfboard.images.variant import Variant
from perfboard.instruments.base import Instrument
from perfboard.model.progress import Progress, SilentProgress
from perfboard.model.results.boot import Boot
from perfboard.probes.session import Session, probe_session
from perfboard.store.recording import Recording, recording
from perfboard.targets.base import Target
from perfboard.targets.opening import open_target
from perfboard.targets.virtual.emulator import emulator_version
from perfboard.targets.virtual.program import ProgramResults, TrialTarget
from perfboard.targets.virtual.target import VirtualTarget

# Boots a virtual board, as `VirtualTarget.boot_and_memory` does.
BootVirtual = Callable[
    [VirtualTarget, Sequence[Instrument], Path, Callable[[str], None], Event],
    tuple[Boot, int | None],
]
# Runs a program on one, as `TrialTarget.try_out` does.
TryOut = Callable[[TrialTarget, Path, Path, Callable[[int, int], None], Event], ProgramResults]


@dataclass(frozen=True)
class Lab:
    """All that a study has done outside of its own calculations."""

    progress: Progress = field(default_factory=SilentProgress)
    clock: Callable[[], float] = time.monotonic
    record: Callable[[str, str, tuple[str, ...], str], AbstractContextManager[Recording]] = (
        recording
    )
    # Live targets.
    open: Callable[..., AbstractContextManager[Target]] = open_target
    probe: Callable[[Target, Progress], AbstractContextManager[Session]] = probe_session
    # Virtual boards. `emulator` gives the version of one; `scope` builds its plugin.
    require: Callable[[Iterable[Use], str], None] = require_tools
    build: Callable[[Variant, Progress], Image] = build_image
    emulator: Callable[[str], str] = emulator_version
    scope: Callable[..., Path] = build_scope
    boot: BootVirtual = VirtualTarget.boot_and_memory
    # Programs on virtual boards.
    prepare: Callable[[Variant, ProgramJob, Progress], TrialBase] = build_trial_base
    try_out: TryOut = TrialTarget.try_out
    # A certificate for a server: of an authority in a new folder, or of one that the cache keeps.
    authority: Callable[[Path, str], Authority] = make_authority
    kept_authority: Callable[[str, Progress], Authority] = kept_authority
    # `build_codec`.
    codec: Callable[[str, str, Progress], BuiltCodec] = build_codec
    # `build_toolkit`.
    toolkit: Callable[[str, str, Progress], Path] = build_toolkit
