# SPDX-License-Identifier: Apache-2.0
"""Class names: one meaning each in the whole tree, and nouns."""

import ast
import re
from collections import Counter
from pathlib import Path

import perfboard

SOURCES = Path(perfboard.__file__).parent
# Nouns that look like participles, and two errors.
NOUNS = {
    *("Drawing", "Finding", "Pairing", "Reading", "Recording", "Setting", "Sighting", "Timing"),
    *("DiscWriting", "Need", "InconclusiveWarning", "Cancelled", "BoardFailed"),
}
IRREGULAR = r"Drawn|Found|Held|Kept|Made|Ran|Said|Seen|Sent|Shown|Told|Worn|Written"


def class_names() -> list[str]:
    """Those of all classes, without the underscore of private ones."""
    trees = (ast.parse(path.read_text()) for path in SOURCES.rglob("*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return [node.name.lstrip("_") for node in nodes if isinstance(node, ast.ClassDef)]


def test_no_class_name_stands_twice() -> None:
    names = Counter(class_names())
    assert len(names) > 400
    assert [name for name, count in names.items() if count > 1] == []


def test_no_class_is_called_by_a_participle() -> None:
    last = {name: re.split(r"(?<=[a-z0-9])(?=[A-Z])", name)[-1] for name in class_names()}
    found = [
        name
        for name, word in last.items()
        if re.fullmatch(rf"{IRREGULAR}|\w+(ed|ing)", word) and not {name, word} & NOUNS
    ]
    assert found == []
