# SPDX-License-Identifier: Apache-2.0
"""How a place of labgrid's is named, and what is made of its program's answers."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from perfboard.model.errors import EnvironmentLacksError, PerfboardError, TargetError, UsageError
from perfboard.model.target import place_of
from perfboard.targets.labgrid.place import Asks, parse
from perfboard.targets.pipe.process import Process


@contextmanager
def asks(answer: str, complaint: str = "") -> Iterator[Asks]:
    """A program that answers each request so, after it has complained."""
    said = f"echo {shlex.quote(complaint)} >&2"
    script = f"{said}; while read -r x; do printf {shlex.quote(answer)}; done"
    process = Process(["sh", "-c", script], lambda said: TargetError("lost", said))
    try:
        yield Asks(process, "desk")
    finally:
        process.close()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("labgrid://desk", ("desk", "")),
        ("labgrid://desk%201?coordinator=lab:20408", ("desk 1", "lab:20408")),
        ("labgrid://a/b?coordinator=[::1]:1", ("a/b", "[::1]:1")),
    ],
)
def test_a_place_and_its_coordinator_are_named(text: str, meant: tuple[str, str]) -> None:
    assert parse(text) == meant


@pytest.mark.parametrize(
    "text",
    ["labgrid:desk", "labgrid://", "labgrid://a b", "labgrid://a?b=c", "labgrid://a?coordinator="],
)
def test_what_names_no_place_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no labgrid target; it is written labgrid://PLACE"):
        parse(text)


def test_a_board_is_called_as_its_place() -> None:
    assert place_of("labgrid://desk?coordinator=lab:20408") == place_of("labgrid://desk") == "desk"


@pytest.mark.parametrize(
    ("kind", "words", "said"),
    [
        ("coordinator", "lab:1: refused.", "cannot be reached: lab:1: refused. Start labgrid-coo"),
        ("unknown", "shelf, rack", "has no place desk. Its places are: shelf, rack"),
        ("acquired", "place desk is not acquired", "labgrid-client -p desk acquire"),
        (
            "exporter",
            "orphaned resource",
            "has lost a resource: orphaned resource. Start labgrid-e",
        ),
        ("several", "two ports", "has several that would do: two ports. Name one"),
        ("lacks", "PowerProtocol", "no driver for PowerProtocol"),
        ("person", "press enter", 'asks a person: "press enter". Give --reset'),
        ("failed", "Boom", "place desk: Boom ssh: no key"),
        ("new kind", "odd", "place desk: odd"),
    ],
)
def test_a_refusal_says_what_to_do(kind: str, words: str, said: str) -> None:
    answer = f'{{"error": "{kind}", "words": "{words}"}}\\n'
    with asks(answer, "ssh: no key") as ask, pytest.raises(EnvironmentLacksError) as raised:
        ask("on", 5)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (r"[1]\n", "makes no sense"),
        (r"no json\n", "makes no sense"),
        (r"{\377\n", "makes no sense"),
        ("half of a line", "has not answered for 1 s about desk"),
    ],
)
def test_an_answer_that_is_none_is_named(answer: str, said: str) -> None:
    with asks(answer) as ask, pytest.raises(PerfboardError, match=said):
        ask("on", 1)


def test_answers_come_in_order() -> None:
    with asks(r'{"a": 1}\n{"b": 2}\n') as ask:
        assert ask("on", 5) == {"a": 1}
        assert ask.answer(5) == {"b": 2}
