# SPDX-License-Identifier: Apache-2.0
"""Debian's source packages, through a private apt state as in `apt`.

The machine's own sources, most of which name binary packages alone, are asked for the source
packages besides these.
"""

import re
import shlex
import subprocess
from pathlib import Path

from perfboard.host.cache.cache import hash_file
from perfboard.images.packages.apt import AptState, Package
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress

_CONFIGURATION = """\
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "{folder}/sources";
Acquire::IndexTargets::deb-src::Sources {{
 MetaKey "$(COMPONENT)/source/Sources";
 flatMetaKey "Sources";
 ShortDescription "Sources";
 Description "$(RELEASE)/$(COMPONENT) Sources";
 flatDescription "$(RELEASE) Sources";
 Optional "1";
}};
"""
# As apt prints what it would fetch: the file's name, and its sum.
_DESCRIPTION = re.compile(r"^'[^']*' ([^_\s]+)_(\S+)\.dsc \d+ SHA256:([0-9a-f]{64})$", re.MULTILINE)


class SourceState(AptState):
    """The private apt state for source packages, of which `Package.sha256` is the .dsc's.

    A package that is unpacked lies in the one folder of `unpack`'s, with Debian's patches.
    """

    _lists = "Sources"

    def __init__(self, progress: Progress) -> None:
        super().__init__("source", progress)

    def write_configuration(self) -> Path:
        sources = self.folder / "sources"
        sources.mkdir(parents=True, exist_ok=True)
        for number, given in enumerate(_source_files()):
            asked = ask_for_sources(given.read_text(errors="replace"), given.suffix)
            (sources / f"{number}{given.suffix}").write_text(asked)
        return super().write_configuration()

    def _configuration(self) -> str:
        return super()._configuration() + _CONFIGURATION.format(folder=self.folder)

    def _look_up(self, name: str) -> Package:
        command = [*self._command("apt-get"), "source", "--print-uris", "--only-source", "--", name]
        shown = subprocess.run(
            command, capture_output=True, text=True, errors="replace", cwd=self.folder
        )
        found = _DESCRIPTION.search(shown.stdout)
        if found is None or found[1] != name:
            raise EnvironmentLacksError(
                f'apt knows no source package "{name}"; check that /etc/apt has a source with it, '
                f"and delete {self.folder} to fetch the lists anew. apt's last lines:\n"
                f"{self._why_unknown(shown.stderr)}"
            )
        return Package(*found.groups())

    def _download(self, package: Package, folder: Path) -> None:
        with self._progress.step(f"fetching the source of {package.name}", 100) as step:
            arguments = ["source", "--only-source", "--", package.name]
            outcome = self._apt_get(arguments, folder, step)
        found = [hash_file(path) for path in folder.glob("*.dsc")]
        if outcome.code or found != [package.sha256]:
            raise EnvironmentLacksError(
                f"apt cannot fetch and unpack the source of {package.name} {package.version}; "
                f"check the network, and that dpkg-source is there (dpkg-dev); delete "
                f"{self.folder} to fetch the lists anew. apt's last lines:\n{outcome.last_lines}"
            )
        for path in folder.iterdir():
            if path.is_file():
                path.unlink()


def _source_files() -> list[Path]:
    """The files that say where this machine's packages are from, as apt's configuration has it."""
    words = ["LIST", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d"]
    shown = subprocess.run(["apt-config", "shell", *words], capture_output=True, text=True)
    named = dict(word.partition("=")[::2] for word in shlex.split(shown.stdout))
    parts = Path(named["PARTS"]) if "PARTS" in named else None
    found = sorted(parts.iterdir()) if parts is not None and parts.is_dir() else []
    files = [Path(named["LIST"]), *found] if "LIST" in named else found
    return [file for file in files if file.is_file() and file.suffix in (".list", ".sources")]


def ask_for_sources(text: str, suffix: str) -> str:
    """A file of apt's that names source packages where `text` names binary ones.

    `suffix` tells the form: ".sources" or, a line each, ".list"; sources.list(5).
    """
    if suffix == ".sources":
        return re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.MULTILINE | re.IGNORECASE)
    words = [line.split(None, 1) for line in text.splitlines()]
    lines = [f"deb-src {line[1]}\n" for line in words if len(line) == 2 and line[0] == "deb"]
    return "".join(dict.fromkeys(lines))
