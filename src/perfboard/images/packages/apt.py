# SPDX-License-Identifier: Apache-2.0
"""Debian packages of another architecture, through a private apt state.

The machine's own sources, keys, pins and proxies are read from its apt
configuration; all that apt writes goes to the cache. apt checks every download
against the signed package lists. The lists are fetched once; delete the folder
`apt` of the cache to fetch them anew, which may bring newer packages.
"""

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from perfboard.host.cache.cache import (
    cache_root,
    cached,
    locked,
    own_root,
    say_damage,
    writable_cache,
)
from perfboard.host.cache.entries import LISTS, manifest_of
from perfboard.host.cache.manifest import find_damage, read_sealed, write_manifest, write_sealed
from perfboard.host.cache.use import mark_use
from perfboard.host.files.files import replace_file
from perfboard.host.programs.command import CommandOutcome, follow
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.progress import Progress, Step

# The folder of an unpacked package with its control file and its scripts.
SCRIPTS = "DEBIAN"
_FORM = "--raw-extract"
_ATTEMPTS = 3
_PAUSE_SECONDS = 5.0
_INSTALLED = re.compile(r"Inst ([a-z0-9][a-z0-9+.-]*)")
_UNKNOWN = re.compile(
    r"E: (?:Unable to locate package|Couldn't find any package by (?:glob|regex)|"
    r"Package) '?([^\s']+)'?(?: has no installation candidate)?"
)

# A package that is the same for all architectures, so that the first state that has it is asked.
# Otherwise each would have an own version of the kernel where a mirror is being updated.
_FOR_ALL = re.compile(r"linux-source-[\d.]+")

# Hooks would run the machine's own commands on the machine's own state; further
# index targets (descriptions, icons, contents) would be fetched for nothing.
_CONFIGURATION = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Architectures;
#clear Acquire::IndexTargets;
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::IndexTargets::deb::Packages {{
 MetaKey "$(COMPONENT)/binary-$(ARCHITECTURE)/Packages";
 flatMetaKey "Packages";
 ShortDescription "Packages";
 Description "$(RELEASE)/$(COMPONENT) $(ARCHITECTURE) Packages";
 flatDescription "$(RELEASE) Packages";
 Optional "0";
}};
Dir::State "{folder}/state";
Dir::State::lists "{folder}/state/lists";
Dir::State::status "{folder}/state/status";
Dir::State::extended_states "{folder}/state/extended_states";
Dir::Cache "{folder}/cache";
Dir::Cache::archives "{folder}/cache/archives";
Dir::Cache::pkgcache "{folder}/cache/pkgcache.bin";
Dir::Cache::srcpkgcache "{folder}/cache/srcpkgcache.bin";
Dir::Log "{folder}/log";
"""


@dataclass(frozen=True)
class Package:
    """One version of a Debian package; `sha256` is that of its file."""

    name: str
    version: str
    sha256: str


class AptState:
    """The private apt state for one of Debian's architectures."""

    # A part of apt's names of the lists.
    _lists = "Packages"

    def __init__(self, architecture: str, progress: Progress) -> None:
        self.architecture = architecture
        self.folder = own_root() / "apt" / architecture
        self._progress = progress
        self._resolved_file = self.folder / "resolved.json"
        self._lists_note_file = self.folder / "lists.txt"
        self._manifest = manifest_of(self.folder)

    @property
    def notes(self) -> tuple[str, ...]:
        """A note for a run if the package lists were not fetched whole; apt's words stay here."""
        if not self._lists_problem:
            return ()
        return (
            "apt did not get all package lists: a package may be older than the newest. "
            f"{self._lists_note_file.name} in the cache's apt folder has what apt said.",
        )

    @property
    def _lists_problem(self) -> str:
        try:
            return self._lists_note_file.read_text(errors="replace").strip()
        except FileNotFoundError:
            return ""

    def resolve(self, name: str) -> Package:
        """The version of package `name` that this cache stays with.

        Raises EnvironmentLacksError where there is no such package, or apt
        cannot fetch its lists.
        """
        if (other := self._asked_for(name)) is not self:
            return other.resolve(name)
        known = self._resolved()
        if name not in known:
            with writable_cache(), locked(f"apt-{self.architecture}", self._progress):
                self._prepare()
                package = self._look_up(name)
                known = {**self._resolved(), name: package}
                records = [asdict(known[key]) for key in sorted(known)]
                write_sealed(self._resolved_file, json.dumps(records) + "\n")
        return known[name]

    def closure(self, names: Sequence[str]) -> tuple[Package, ...]:
        """Those packages and all that they depend on, as apt would install them, by name.

        Packages that are only recommended are left out. Raises UsageError for a name that apt
        does not know for this architecture, and for packages that do not go together.
        """
        with writable_cache(), locked(f"apt-{self.architecture}", self._progress):
            self._prepare()
        inputs = {
            "architecture": self.architecture,
            "names": " ".join(sorted(names)),
            "lists": str(self._lists_note_file.stat().st_mtime_ns),
        }
        entry = cached("closure", inputs, lambda folder: self._find(names, folder), self._progress)
        found = (entry / "names.txt").read_text().split()
        return tuple(self.resolve(name) for name in found)

    def check_known(self, names: Sequence[str]) -> None:
        """Raises UsageError for names that the lists here do not have. Fetches none."""
        known = self._in_lists(names)
        if known is not None and (unknown := [name for name in names if name not in known]):
            raise self._no_such(unknown)

    def _in_lists(self, names: Sequence[str]) -> set[str] | None:
        """Those of the names that the lists here have; None: they are not here, or not whole."""
        whole = self._lists_note_file.exists() and not self._lists_problem
        if not (names and whole and shutil.which("apt-cache")):
            return None
        command = [*self._command("apt-cache"), "showpkg", "--", *names]
        shown = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if shown.returncode:
            return None
        return set(re.findall(r"^Package: (\S+)$", shown.stdout, re.MULTILINE))

    def _no_such(self, names: Iterable[str]) -> UsageError:
        return UsageError(
            "\n".join(
                f'apt knows no package "{name}" for {self.architecture}{self._others(name)}; '
                "check its name, and that /etc/apt has a source with it"
                for name in dict.fromkeys(names)
            )
        )

    def _others(self, name: str) -> str:
        """The other architectures whose lists here have the package, as words."""
        folders = (folder.name for folder in sorted(self.folder.parent.glob("*/")))
        states = (AptState(arch, self._progress) for arch in folders)
        found = [each.architecture for each in states if name in (each._in_lists([name]) or ())]
        return f", only for {', '.join(found)}" if found else ""

    def _find(self, names: Sequence[str], folder: Path) -> None:
        """Writes the names of the packages that apt would install to a file in `folder`."""
        found: set[str] = set()

        def note(line: str) -> bool:
            match = _INSTALLED.match(line)
            if match:
                found.add(match[1])
            return match is not None

        command = [*self._command("apt-get"), "install", "--simulate", "--no-install-recommends"]
        with self._progress.step("finding what the packages depend on", 1):
            outcome = follow([*command, "--", *names], note, folder=self.folder)
        if outcome.code:
            unknown = _UNKNOWN.findall(outcome.last_lines)
            if unknown:
                raise self._no_such(unknown)
            raise UsageError(
                f"apt cannot put these packages together for {self.architecture}: "
                f"{' '.join(names)}. apt's last lines:\n{outcome.last_lines}"
            )
        (folder / "names.txt").write_text("".join(f"{name}\n" for name in sorted(found)))

    def unpack(self, name: str) -> Path:
        """The folder that holds the files of package `name`, and in SCRIPTS what dpkg would run.

        Raises EnvironmentLacksError where apt cannot fetch it.
        """
        if (other := self._asked_for(name)) is not self:
            return other.unpack(name)
        package = self.resolve(name)
        inputs = {**asdict(package), "architecture": self.architecture, "form": _FORM}

        def fetch(folder: Path) -> None:
            with locked(f"apt-{self.architecture}", self._progress):
                self._prepare()
            self._download(package, folder)

        return cached("package", inputs, fetch, self._progress)

    def _asked_for(self, name: str) -> "AptState":
        """The state that knows the package: another one's, where it is for all architectures."""
        if _FOR_ALL.fullmatch(name) and name not in self._resolved():
            for folder in sorted(self.folder.parent.glob("*/")):
                other = AptState(folder.name, self._progress)
                if name in other._resolved():
                    return other
        return self

    def write_configuration(self) -> Path:
        """Makes the folders of the state; the path of the configuration file for apt."""
        if '"' in str(self.folder):
            raise EnvironmentLacksError(
                f"{self.folder}: apt cannot use a folder with a quotation mark in its name; "
                "set XDG_CACHE_HOME to another"
            )
        for folder in ("state/lists/partial", "cache/archives/partial", "log"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        (self.folder / "state/status").touch()
        path = self.folder / "apt.conf"
        # Another apt may be reading it.
        replace_file(path, self._configuration())
        return path

    def _configuration(self) -> str:
        return _CONFIGURATION.format(architecture=self.architecture, folder=self.folder)

    def _resolved(self) -> dict[str, Package]:
        mark_use(cache_root(), self._manifest)
        try:
            records = json.loads(read_sealed(self._resolved_file))
        except (OSError, ValueError):
            # The lists have them still.
            return {}
        return {record["name"]: Package(**record) for record in records}

    def _prepare(self) -> None:
        """Fetches the package lists where there are none, or where they are damaged.

        A mirror may be in the middle of its own update; apt then keeps the lists
        that were whole. They are used, if need be, and the failure is noted.
        """
        lists = self.folder / LISTS
        self.write_configuration()
        damage = find_damage(lists, self._manifest, {}, unchanged=True)
        if self._lists_note_file.exists():
            if not damage:
                return
            say_damage("apt", self.architecture, damage)
        if damage:
            # With other lists, the versions that were found in these may not be offered.
            shutil.rmtree(self.folder)
            self.write_configuration()
        with self._progress.step(f"fetching package lists for {self.architecture}", 100) as step:
            for attempt in range(_ATTEMPTS):
                if attempt:
                    time.sleep(_PAUSE_SECONDS)
                outcome = self._apt_get(["update"], self.folder, step)
                if outcome.code == 0:
                    break
        if not any((self.folder / "state/lists").glob(f"*_{self._lists}*")):
            raise EnvironmentLacksError(
                f"apt cannot fetch package lists for {self.architecture}; check the network and "
                f"the sources in /etc/apt, then try again. apt's last lines:\n{outcome.last_lines}"
            )
        failures = [line for line in outcome.last_lines.splitlines() if line.startswith("E: ")]
        self._lists_note_file.write_text(failures[0][3:] if failures else "")
        write_manifest(lists, self._manifest, {})

    def _look_up(self, name: str) -> Package:
        command = [*self._command("apt-cache"), "show", "--no-all-versions", "--", name]
        shown = subprocess.run(command, capture_output=True, text=True, errors="replace")
        fields = dict(line.split(": ", 1) for line in shown.stdout.splitlines() if ": " in line)
        try:
            return Package(fields["Package"], fields["Version"], fields["SHA256"])
        except KeyError:
            note = self._why_unknown(shown.stderr)
            raise EnvironmentLacksError(
                f'apt knows no package "{name}" for {self.architecture}; check its name, that '
                "/etc/apt has a source with it, and delete "
                f"{self.folder} to fetch the lists anew. apt's last lines:\n{note}"
            ) from None

    def _why_unknown(self, output: str) -> str:
        """The problem with the lists, which are fetched anew then; otherwise apt's output."""
        note = self._lists_problem
        if note:
            # Lists that were fetched in part may be whole at the next attempt.
            self._lists_note_file.unlink()
        return note or output.strip()

    def _download(self, package: Package, folder: Path) -> None:
        wanted = f"{package.name}={package.version}"
        with self._progress.step(f"fetching package {package.name}", 100) as step:
            outcome = self._apt_get(["download", wanted], folder, step)
            files = list(folder.glob("*.deb"))
            if outcome.code or len(files) != 1:
                raise EnvironmentLacksError(
                    f"apt cannot fetch {wanted} for {self.architecture}; check the network, and "
                    f"if the version is no longer offered, delete {self.folder} to fetch the "
                    f"lists anew. apt's last lines:\n{outcome.last_lines}"
                )
            step.update(100, "unpacking")
            command = ["dpkg-deb", _FORM, files[0].name, "."]
            outcome = follow(command, lambda line: False, folder=folder)
        if outcome.code:
            raise EnvironmentLacksError(
                f"dpkg-deb cannot unpack {files[0].name}; its last lines:\n{outcome.last_lines}"
            )
        files[0].unlink()

    def _apt_get(self, arguments: list[str], folder: Path, step: Step) -> CommandOutcome:
        def show(line: str) -> bool:
            if not line.startswith("dlstatus:"):
                return False
            _, _, percent, note = line.rstrip().split(":", 3)
            step.update(float(percent), note)
            return True

        command = [*self._command("apt-get"), "-q", "-o", "APT::Status-Fd=1", *arguments]
        return follow(command, show, folder=folder)

    def _command(self, program: str) -> list[str]:
        return [program, "-c", str(self.folder / "apt.conf")]
