# SPDX-License-Identifier: Apache-2.0
"""A program that is spoken with, and does not cease to speak."""

import pytest

from perfboard.model.errors import TargetError
from perfboard.targets.pipe.process import Process


def test_a_program_that_does_not_listen_is_lost_though_it_speaks_on() -> None:
    script = "exec <&-; for i in $(seq 200); do echo x; sleep 0.05; done"
    process = Process(["sh", "-c", script], lambda said: TargetError("lost", said))
    try:
        process.read(5)
        with pytest.raises(TargetError) as raised:
            process.write(b"x")
        assert raised.value.kind == "lost"
        assert not process.ended
    finally:
        process.kill()


def test_an_answer_before_all_has_been_read_is_had() -> None:
    """A script on a full disk says so, and need not read the rest."""
    script = "printf 'full\\n'; exec >&-; exec sleep 0.5"
    process = Process(["sh", "-c", script], lambda said: TargetError("lost", said))
    try:
        assert process.exchange(bytes(1 << 20), 5, last=b"full\n") == b"full\n"
    finally:
        process.kill()
