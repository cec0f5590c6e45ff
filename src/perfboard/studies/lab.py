# SPDX-License-Identifier: Apache-2.0
"""What a study works with. The command line makes the real one; tests hand in others."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from perfboard.model.progress import Progress, SilentProgress
from perfboard.probes.session import ProbeSession, Session
from perfboard.store.recording import Recording, recording
from perfboard.targets.base import Target
from perfboard.targets.opening import open_target


@dataclass(frozen=True)
class Lab:
    """What opens a target, runs probes on it, records, and shows how far a study is."""

    progress: Progress = field(default_factory=SilentProgress)
    record: Callable[[str, str, tuple[str, ...]], AbstractContextManager[Recording]] = recording
    open: Callable[..., AbstractContextManager[Target]] = open_target
    probe: Callable[[Target, Progress], AbstractContextManager[Session]] = ProbeSession
