# SPDX-License-Identifier: Apache-2.0
"""What is made of a shell's answer, with `printf` in the shell's place."""

import pytest

from perfboard.model.errors import TargetError
from perfboard.targets.base import Reply
from perfboard.targets.pipe.process import Process
from perfboard.targets.pipe.shell import PipeShell


def answering(status: str) -> PipeShell:
    def command(script: str) -> list[str]:
        mark = script.split()[1]
        return ["printf", "%s", f"Welcome\n{mark}\nsaid\n{mark} {status}\n"]

    def damaged(said: str) -> TargetError:
        return TargetError("lost", "the answer is damaged")

    return PipeShell(command, damaged, Process(["true"], damaged))


def test_a_status_is_a_number() -> None:
    assert answering("3").run("true") == Reply(3, "said")


@pytest.mark.parametrize("status", ["", " ", "x", "-1", "1x", "²", "9" * 5000])
def test_an_answer_whose_status_is_none_is_lost(status: str) -> None:
    with pytest.raises(TargetError, match="damaged"):
        answering(status).run("true")
