# SPDX-License-Identifier: Apache-2.0
"""Files of packages of the npm registry, fetched by npm."""

import hashlib
import shutil
import tarfile
from pathlib import Path, PurePosixPath

from perfboard.host.cache.cache import cached
from perfboard.host.files.scratch import scratch_folder
from perfboard.host.programs.command import run_tool
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress
from perfboard.model.published import NpmFile

# Far beyond any program; what is announced as larger is not unpacked.
_LARGEST = 64 << 20


def npm_file(wanted: NpmFile, progress: Progress) -> Path:
    """The file, executable, from the cache or from the registry.

    Nothing of the package is run. Raises EnvironmentLacksError where npm is not there, does not
    get the package, or where the file is another than the one that is wanted.
    """
    name = PurePosixPath(wanted.file).name

    def fetch(product: Path) -> None:
        if shutil.which("npm") is None:
            raise EnvironmentLacksError(
                f"this machine lacks npm, which fetches {name} of {wanted.package}; on Debian: "
                "sudo apt-get install npm"
            )
        with scratch_folder() as scratch:
            # With a cache of its own, npm writes nothing to the user's folders.
            options = ("--ignore-scripts", "--no-update-notifier", "--cache", f"{scratch}/cache")
            package = f"{wanted.package}@{wanted.version}"
            run_tool(["npm", "pack", package, "--silent", *options], scratch)
            (product / name).write_bytes(_member(scratch, wanted))
        (product / name).chmod(0o755)

    inputs = {key: str(value) for key, value in wanted.model_dump().items()}
    return cached("npm", inputs, fetch, progress) / name


def _member(folder: Path, wanted: NpmFile) -> bytes:
    """The content of the file in the one archive that npm has left in `folder`."""
    try:
        (archive,) = folder.glob("*.tgz")
        with tarfile.open(archive) as package:
            member = package.getmember(f"package/{wanted.file}")
            file = package.extractfile(member) if member.size <= _LARGEST else None
            data = file.read() if file is not None else b""
    except (ValueError, KeyError, OSError, tarfile.TarError) as error:
        raise EnvironmentLacksError(
            f"{wanted.package} {wanted.version}, as npm gives it, has no {wanted.file}: {error}"
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if found != wanted.sha256:
        raise EnvironmentLacksError(
            f"{wanted.file} of {wanted.package} {wanted.version} is not what it was: its SHA-256 "
            f"is {found}, and should be {wanted.sha256}. Do not trust it; was it replaced?"
        )
    return data
