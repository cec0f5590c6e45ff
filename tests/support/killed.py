# SPDX-License-Identifier: Apache-2.0
"""A process of ours that is killed at its work, and what it leaves."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil

Answer = TypeVar("Answer")


def kill_at_work(code: str, *words: str, number: Callable[[], str]) -> int:
    """Runs Python's `code` until `number` gives that of a process, and kills Python then."""
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, *words]
    with subprocess.Popen(command, env=variables, stderr=subprocess.DEVNULL) as process:
        try:
            return int(soon(number))
        finally:
            process.kill()


def has_ended(number: int) -> bool:
    """Whether that process has. Its new parent, which is not ours, may not have looked after it."""
    try:
        return psutil.Process(number).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def text_of(file: Path) -> str:
    """The text of a file, or "" while it is not there."""
    return file.read_text() if file.exists() else ""


def soon(ask: Callable[[], Answer]) -> Answer:
    """The first answer that is not empty."""
    for _ in range(1000):
        if answer := ask():
            return answer
        time.sleep(0.02)
    raise AssertionError("it never came")
