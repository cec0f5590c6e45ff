# SPDX-License-Identifier: Apache-2.0
"""A certificate authority of our own and one server's certificate, made by openssl."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from perfboard.host.cache.cache import cached
from perfboard.host.programs.tools import require_tools
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress

# Virtual boards begin in 2010.
_DATES = ("-startdate", "20000101000000Z", "-enddate", "20491231235959Z")
_CURVE = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
_CONFIGURATION = """\
[ca]
default_ca = own
[own]
dir = .
database = index.txt
rand_serial = yes
new_certs_dir = .
default_md = sha256
unique_subject = no
policy = named
[named]
commonName = supplied
[req]
distinguished_name = none
[none]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = IP:{address}
"""


@dataclass(frozen=True)
class Authority:
    """The files of an authority and of the server that it vouches for.

    `name` is what OpenSSL looks the authority's certificate up by, in a folder of certificates.
    """

    certificate: Path
    name: str
    server_certificate: Path
    server_key: Path


def make_authority(folder: Path, address: str) -> Authority:
    """Makes them in an empty folder, for a server at that IPv4 address.

    Raises EnvironmentLacksError where this machine has no openssl, or where that fails.
    """
    _make(folder, address)
    return _found(folder)


def kept_authority(address: str, progress: Progress) -> Authority:
    """The same from the cache, with the same keys each time. Raises as `make_authority`."""
    inputs = {"address": address, "words": " ".join((_CONFIGURATION, *_CURVE, *_DATES))}
    return _found(cached("authority", inputs, lambda folder: _make(folder, address), progress))


def _make(folder: Path, address: str) -> None:
    require_tools(["tls"])
    (folder / "openssl.cnf").write_text(_CONFIGURATION.format(address=address))
    (folder / "index.txt").touch()
    for name, subject, signs in (
        ("ca", "Perfboard's pages", ("-selfsign", "-keyfile", "ca.key")),
        # Dillo compares the common name with the address.
        ("server", address, ("-cert", "ca.crt", "-keyfile", "ca.key")),
    ):
        key, asked, signed = (f"{name}.{suffix}" for suffix in ("key", "csr", "crt"))
        _openssl(folder, "genpkey", *_CURVE, "-out", key)
        words = ("-config", "openssl.cnf", "-key", key, "-subj", f"/CN={subject}", "-out", asked)
        _openssl(folder, "req", "-new", *words)
        kind = "authority" if name == "ca" else "server"
        words = ("-extensions", kind, "-in", asked, "-out", signed, "-batch", "-notext")
        _openssl(folder, "ca", "-config", "openssl.cnf", *signs, *_DATES, *words)


def _found(folder: Path) -> Authority:
    return Authority(
        folder / "ca.crt",
        _openssl(folder, "x509", "-noout", "-hash", "-in", "ca.crt").strip(),
        folder / "server.crt",
        folder / "server.key",
    )


def _openssl(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["openssl", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise EnvironmentLacksError(f"openssl {words[0]} fails here: {done.stderr.strip()[-400:]}")
    return done.stdout
