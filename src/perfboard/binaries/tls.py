# SPDX-License-Identifier: Apache-2.0
"""The programs that serve pages over TLS, compiled with Debian's sources of mbedTLS."""

from pathlib import Path

from perfboard.binaries.probe import compiler_folder
from perfboard.binaries.probe_build import (
    command,
    compiler_version,
    require_compiler,
    run_compiler,
    source_folder,
)
from perfboard.host.cache.cache import cached, hash_tree
from perfboard.host.programs.native import native_folder
from perfboard.model.progress import Progress

# The files of mbedTLS that a server needs.
_FILES = (
    *("aes", "asn1parse", "asn1write", "base64", "bignum", "cipher", "cipher_wrap"),
    *("constant_time", "ctr_drbg", "ecdh", "ecdsa", "ecp", "ecp_curves", "gcm", "hmac_drbg", "md"),
    *("oid", "pem", "pk", "pk_wrap", "pkparse", "platform", "platform_util", "sha256"),
    *("ssl_ciphersuites", "ssl_msg", "ssl_srv", "ssl_tls", "x509", "x509_crt"),
)


def tls_words(tls: Path) -> list[str]:
    """The compiler's words for mbedTLS, whose sources are in the folder `tls`."""
    return [
        *("-DHAS_TLS", f"-I{_configuration()}", f"-I{tls / 'include'}"),
        '-DMBEDTLS_CONFIG_FILE="far_end_tls.h"',
        *(str(tls / "library" / f"{name}.c") for name in _FILES),
    ]


def tls_inputs(tls: Path) -> dict[str, str]:
    """The inputs of a program with TLS, for the cache."""
    files = hash_tree(_configuration())
    return {"tls": tls.parent.name, "tls files": " ".join(_FILES), "tls configuration": files}


def _configuration() -> Path:
    return native_folder("far_end") / "mbedtls_config"


def secure_watcher(arch: str, tls: Path, progress: Progress) -> Path:
    """The watcher of a display for `arch`, with TLS; compiled at first use and cached.

    The folder `tls` has mbedTLS's sources. Raises EnvironmentLacksError.
    """
    require_compiler(arch)
    sources = source_folder("display")

    def build_into(folder: Path) -> None:
        with (
            compiler_folder(arch, progress) as kept,
            progress.step(f"building the display with TLS for {arch}", 1),
        ):
            words = [*command(arch, "display"), *tls_words(tls)]
            run_compiler(f"The display for {arch}", words, folder / "display", sources, kept)

    inputs = {
        "command": " ".join(command(arch, "display")),
        "compiler": compiler_version(),
        "sources": hash_tree(sources),
        "rows": hash_tree(source_folder("rows")),
        **tls_inputs(tls),
    }
    return cached("probe", inputs, build_into, progress) / "display"
