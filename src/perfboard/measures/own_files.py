# SPDX-License-Identifier: Apache-2.0
"""The user's own files: which a measure is given, what they are, and the job that has them.

They are of anyone's profile, so nothing of them is trusted: not where they lie, not how large they
are, and not what they say of themselves.
"""

import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from perfboard.bench.job import Job, NotMeasurable
from perfboard.host.files.files import read_file
from perfboard.host.programs.elf import Elf, look
from perfboard.measures.base import Parameter, Setting
from perfboard.model.board.architecture import ARCHITECTURES
from perfboard.model.errors import UsageError
from perfboard.model.text import printable
from perfboard.model.timing.lacks import KINDS
from perfboard.model.units import format_size

PACKAGES = Parameter(
    "packages", "", "Debian packages that a virtual board has it from", labels=False
)
FILES = Parameter(
    "files",
    "",
    "files of yours that are copied to its folder; ARCHITECTURE=FILE is for boards of that one, as "
    "armhf=app",
    labels=False,
)
# Debian's names of all architectures that it may be given for.
KNOWN = ("armel", "armhf", "arm64", "i386", "amd64", "riscv64", "mipsel", "powerpc")
# Boards of one architecture run programs of another one too.
_ALSO = {"armhf": ("armel",)}
_LOADERS = {each.name: f"/lib/{each.loader}" for each in ARCHITECTURES}
_FORM = re.compile(rf"(?:({'|'.join(KNOWN)})=)?(.+)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+@-]{0,99}")
# Perfboard's own in the same folder, with those of the job and what begins with "perfboard-".
_RESERVED = ("work.sh", "times", "printed", "home", "temporary", "programs.log", "disk", "shm")
_MOST_FILES, _MOST_BYTES = 20, 64 << 20


class NoFileHere(NotMeasurable):
    """There are files, and none for the board's architecture: others may have theirs."""


@dataclass(frozen=True)
class GivenFiles:
    """The files for one board by their names there, those that are programs, and what they are."""

    files: Mapping[str, bytes]
    programs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def named_files(text: str) -> list[tuple[str, str]]:
    """Architecture, "" for any, and path of each file that the parameter names.

    Raises NotMeasurable.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise NotMeasurable(f"files: {printable(text)!r}: {error}") from error
    found = []
    for word in words:
        match = _FORM.fullmatch(word)
        if match is None or "\0" in word:
            raise NotMeasurable(f"files: {word!r} is no path of a file")
        if "=" in (path := match[2]) and not match[1] and re.match("[a-z0-9_]+=", path):
            raise NotMeasurable(
                f"files: {printable(word)} is for no architecture that is known; they are "
                f"{', '.join(KNOWN)}"
            )
        found.append((match[1] or "", path))
    if len(found) > _MOST_FILES:
        raise NotMeasurable(
            f"files: there are {len(found)}, and a measure takes {_MOST_FILES}; pack them, as with "
            "tar, and have the command unpack them"
        )
    return found


def own_files(setting: Setting) -> GivenFiles:
    """The files of `setting` for its board's architecture, as far as that is known.

    Raises NotMeasurable for one that cannot be had, or that the board cannot run.
    """
    named, here = named_files(setting.text("files")), setting.facts.architecture
    fitting = [path for arch, path in named if arch in ("", here)]
    if here and named and not fitting:
        others = ", ".join(dict.fromkeys(arch for arch, _ in named))
        raise NoFileHere(
            f"files: none is for {here}, the board's architecture; they are for {others}"
        )
    files: dict[str, bytes] = {}
    notes, programs = [], []
    for path in fitting:
        data = _read(path, setting.folder, _MOST_BYTES - sum(map(len, files.values())))
        name = Path(path).name
        if name in files:
            raise NotMeasurable(f"files: two are called {name}, and would have one place")
        files[name] = data
        try:
            elf = look(data)
        except ValueError as error:
            raise NotMeasurable(f"files: {path}: {error}") from error
        if elf is not None:
            _check_runs(path, elf, setting)
            programs.append(name)
        notes.append(_words(name, data, elf, setting))
    return GivenFiles(files, tuple(programs), tuple(notes))


def all_files(setting: Setting) -> dict[str, bytes]:
    """The files of a setting for any board, by their paths; without those that cannot be had."""
    found: dict[str, bytes] = {}
    if not setting.parameters.get("files"):
        return found
    for _, path in named_files(setting.text("files")):
        with suppress(NotMeasurable):
            found[path] = _read(path, setting.folder, _MOST_BYTES)
    return found


def with_own(job: Job, own: GivenFiles) -> Job:
    """The job with those files in its folder. Raises NotMeasurable for a name that is taken."""
    for name in own.files:
        if name in job.files or name in _RESERVED or name.startswith("perfboard-"):
            raise NotMeasurable(
                f"files: {name} is the name of a file of Perfboard's there; give yours another"
            )
    files = {**job.files, **own.files}
    return replace(job, files=files, own=own.programs, notes=(*job.notes, *own.notes))


def _read(path: str, folder: Path | None, room: int) -> bytes:
    """A file's content, of at most `room` bytes, from below the folder if there is one."""
    place = Path(path) if folder is None else folder / path
    if folder is not None:
        try:
            inside = place.resolve().is_relative_to(folder.resolve())
        except (OSError, RuntimeError):
            inside = False
        if not inside or Path(path).is_absolute() or ".." in Path(path).parts:
            raise NotMeasurable(
                f"files: {printable(path)} does not lie below the profile's folder, which is all "
                "that a profile's files may be taken from; put it there"
            )
    if not _NAME.fullmatch(place.name):
        raise NotMeasurable(
            f"files: {printable(path)}: a name there has letters, digits and . _ + @ - alone; give "
            "it such a one"
        )
    try:
        if place.is_dir():
            raise NotMeasurable(
                f"files: {path} is a folder; pack it, as with tar, and have the command unpack it"
            )
        return read_file(place, max(0, room), "a file for the board")
    except UsageError as error:
        raise NotMeasurable(f"files: {error}") from error
    except OSError as error:
        raise NotMeasurable(f"files: {path}: {error.strerror}") from error


def _check_runs(path: str, elf: Elf, setting: Setting) -> None:
    """Raises NotMeasurable for a program that the board cannot run."""
    here = setting.facts.architecture
    if here and elf.architecture not in (here, *_ALSO.get(here, ())):
        raise NotMeasurable(
            f"files: {path} is for {elf.architecture or elf.machine}, and the board runs {here}; "
            f"compile one for that, and name it as {here}=FILE"
        )
    # A virtual board has Debian's C library, and packages.
    known = _LOADERS.get(here, elf.interpreter)
    if setting.facts.exact and elf.interpreter not in ("", known) and not setting.packages():
        raise NotMeasurable(
            f"files: {path} asks for the interpreter {elf.interpreter}, which the board lacks; "
            "link it statically, or name the package that has it (musl has ld-musl-*)"
        )


def _words(name: str, data: bytes, elf: Elf | None, setting: Setting) -> str:
    """The file in words, for the run."""
    about = ", ".join(_about(elf, setting.facts.lacks)) if elf else "no program"
    digest = hashlib.sha256(data).hexdigest()[:12]
    return f"files: {name}: {format_size(len(data))}, {about}, SHA-256 {digest}."


def _about(elf: Elf, lacks: frozenset[str]) -> Iterator[str]:
    yield f"for {elf.architecture or elf.machine}"
    yield f"by {elf.interpreter}" if elf.interpreter else "static"
    if elf.libraries:
        yield f"with {' '.join(elf.libraries)}"
    if elf.level:
        yield f"for processors of {elf.level} and later"
    if missing := [KINDS[kind] for kind in dict.fromkeys(elf.may_have) if kind in lacks]:
        yield f"built to have {' and '.join(missing)}, which the part lacks"
