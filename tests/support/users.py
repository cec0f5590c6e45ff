# SPDX-License-Identifier: Apache-2.0
"""Another user of this machine, with other habits."""

import multiprocessing
import os
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

# Debian's nobody, as whom every program of the system can be run.
NOBODY = 65534
HABITS = {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
_FORK = multiprocessing.get_context("fork")
_PATIENCE_S = 120


def by_another(action: Callable[[], object], user: int = NOBODY, umask: int = 0o077) -> str:
    """What `action` returns, as text, in a process of that user, or its traceback.

    If we are not root it is our own, with other habits. Modules that `action` imports must be
    there already, and it starts no Python: another user may have no right to read them.
    """
    ours, theirs = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_act, args=(action, user, umask, theirs))
    process.start()
    theirs.close()
    assert ours.poll(_PATIENCE_S), "the other user does not answer"
    said = str(ours.recv())
    process.join()
    return said


def _act(action: Callable[[], object], user: int, umask: int, pipe: Connection) -> None:
    os.environ.update(HABITS)
    os.umask(umask)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    try:
        pipe.send(str(action()))
    except Exception:
        pipe.send(traceback.format_exc())


@contextmanager
def common_folder() -> Iterator[Path]:
    """A folder in which all users may write, and none may remove what is another's."""
    folder = Path(tempfile.mkdtemp(prefix="perfboard-common-"))
    try:
        folder.chmod(0o1777)
        yield folder
    finally:
        shutil.rmtree(folder)
