# SPDX-License-Identifier: Apache-2.0
"""Finds words and phrases that make a reader read twice: `python -m tests.english`.

Looks at the pages, and at the docstrings, comments, messages, names and templates of the sources.
Sentences of more than 30 words are counted, and listed with `--long`; they fail nothing.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[1]
# A sentence begins with its subject; a question may begin with What or Where.
_FRAGMENT = re.compile(r"(?:^|[.!?][\"')]*\s+)((?:What|Where|Of)\s(?![^.!?]*\?)[^.!?]*\.)")
_PHRASES = re.compile(
    r"\bso many\b|\bof late\b|\belse,|\bElse\b|\ball else\b|\bsuch as may\b|\bnone where\b"
    r"|\bbut for the\b|\bin so many words\b|\b(?:is|are|was|were|be) (?:told|said)\b"
)
# "needs"; "after"; "with", "and" or "next to". Compiled sources keep theirs until they change
# anyway, since a comment there makes every kept binary, kernel and boot of it anew.
_WORDS = re.compile(r"\bwants\b|\b(?:for )?want of\b|\b[Bb]ehind\b|\b[Bb]eside\b")
_RELATIVE = re.compile(
    r"(?:^|[.!?][\"')]*\s+)((?:Who|Whom|Whose|Whoever|Whatever|Whichever|Wherever)\s"
    r"(?![^.!?]*\?)[^.!?]*\.)"
)
_COMPILED = "native"
# What a word stands in that is no English of ours: the vocabulary of a generated text.
_VOCABULARY = "with without under before behind"
_LONGEST = 30
# A name is a noun or a verb, no participle.
_NAMES = re.compile(r"(?:^|_)(?:told|said|heard|made|laid|barred|surroundings)(?:$|_)|^Attempt$")

# A text of a file: the line on which it begins, and its words on one line.
_Text = tuple[int, str]


def page_texts(text: str) -> Iterator[_Text]:
    """The paragraphs, list items and table cells of a page; no code."""
    line = 1
    for block in re.split(r"(\n\s*\n|\n(?=\s*[-*|] |\s*\d+\. ))", text):
        if not block.lstrip("\n").startswith(("    ", "```", "#")):
            for cell in block.split("|") if block.lstrip().startswith("|") else [block]:
                yield line, cell
        line += block.count("\n")


def template_texts(text: str) -> Iterator[_Text]:
    """The text between the tags of a template."""
    for number, line in enumerate(text.splitlines(), 1):
        yield number, re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", "", line)


def c_texts(text: str) -> Iterator[_Text]:
    """The comments and string literals of a C file."""
    for match in re.finditer(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', text, re.DOTALL):
        words = re.sub(r"^[/*\s\"]+|[/*\s\"]+$|\n\s*\*", "", match[0])
        yield text.count("\n", 0, match.start()) + 1, words


def python_texts(text: str) -> Iterator[_Text]:
    """The docstrings, strings and comments of a Python file; comments of several lines as one."""
    comment: list[str] = []
    end = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if comment and token.start[0] > end + 1:
                yield end, " ".join(comment)
                comment = []
            comment.append(token.string.lstrip("# "))
            end = token.start[0]
    yield end, " ".join(comment)
    inner: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr):
            inner.update(map(id, node.values))
            parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner
        ):
            yield node.lineno, node.value


def python_names(text: str) -> Iterator[_Text]:
    """The names of a Python file."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], token.string


def paragraphs(path: Path) -> Iterator[_Text]:
    """The paragraphs of a file's texts, each on one line."""
    texts = {".md": page_texts, ".py": python_texts, ".j2": template_texts}
    for line, words in texts.get(path.suffix, c_texts)(path.read_text()):
        for paragraph in re.split(r"\n\s*\n", words):
            yield line, re.sub(r"`[^`]*`", "CODE", " ".join(paragraph.split()))


def found_in(path: Path) -> Iterator[_Text]:
    """The line and the words of each finding in a file."""
    compiled = path.is_relative_to(_ROOT / _COMPILED)
    patterns = (_FRAGMENT, _PHRASES, *(() if compiled else (_WORDS, _RELATIVE)))
    for line, words in paragraphs(path):
        # One word is a key or a name.
        if " " in words and _VOCABULARY not in words:
            for pattern in patterns:
                for match in pattern.finditer(words):
                    yield line, match[0].strip('". ')
    if path.suffix == ".py":
        for line, name in python_names(path.read_text()):
            if _NAMES.search(name):
                yield line, name


def long_in(path: Path) -> Iterator[_Text]:
    """The line and the words of each sentence that is too long."""
    for line, words in paragraphs(path):
        for sentence in re.split(r"(?<=[.!?])\s+", words):
            if len(sentence.split()) > _LONGEST:
                yield line, sentence


def main() -> int:
    """Prints what was found; 1 if there is anything."""
    globs = ("*.md", "src/*.py", "src/*.j2", "native/*.c", "native/*.h")
    listed = subprocess.run(
        ["git", "ls-files", *globs], cwd=_ROOT, check=True, capture_output=True, text=True
    )
    names = listed.stdout.splitlines()
    findings = [
        f"{name}:{line}: {words}" for name in names for line, words in found_in(_ROOT / name)
    ]
    long = [f"{name}:{line}: {words}" for name in names for line, words in long_in(_ROOT / name)]
    sys.stdout.writelines(f"{finding}\n" for finding in findings)
    if "--long" in sys.argv[1:]:
        sys.stdout.writelines(f"{sentence}\n" for sentence in long)
    sys.stderr.write(f"{len(long)} sentences have more than {_LONGEST} words\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
