# SPDX-License-Identifier: Apache-2.0
"""The scope's plugin for the emulator, compiled at first use."""

from pathlib import Path

from perfboard.binaries.tls import tls_inputs, tls_words
from perfboard.host.cache.cache import cached, hash_tree
from perfboard.host.programs.children import run
from perfboard.host.programs.command import version_of
from perfboard.host.programs.native import native_folder
from perfboard.host.programs.tools import require_tools
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress

# The parts of the model lie in files of their own: calls between them are dear without -flto.
_COMPILE = (
    *("gcc", "-std=c11", "-O2", "-flto", "-Wall", "-Wextra", "-Werror"),
    *("-fvisibility=hidden", "-shared", "-fPIC", "-I."),
)


# The files of lwIP that the far end needs.
LWIP_FILES = (
    *("init", "def", "inet_chksum", "ip", "mem", "memp", "netif", "pbuf", "stats", "tcp"),
    *("tcp_in", "tcp_out", "timeouts", "udp", "ipv4/icmp", "ipv4/ip4", "ipv4/ip4_addr"),
)


def far_end_words(lwip: Path, tls: Path | None = None) -> list[str]:
    """The compiler's words for the far end of a network.

    `lwip` has lwIP's sources, `tls` those of mbedTLS, if it serves pages over TLS.
    """
    folder = native_folder("far_end")
    return [
        *("-DHAS_FAR_END", f"-I{folder}", f"-I{folder / 'lwip'}", f"-I{lwip / 'src/include'}"),
        *map(str, sorted(folder.glob("*.c"))),
        *(str(lwip / "src/core" / f"{name}.c") for name in LWIP_FILES),
        *(tls_words(tls) if tls else ()),
    ]


# The most cores of any machine. One for a single core costs the host a tenth less.
_SEVERAL = "-DCORES=8"


def build_plugin(
    progress: Progress, lwip: Path | None = None, tls: Path | None = None, *, cores: int = 1
) -> Path:
    """The plugin for some cores, compiled with this machine's compiler at first use and cached.

    With lwIP's sources it has what is beyond a board's own network card, with those of mbedTLS also
    a server of TLS there.
    """
    require_tools(["scope"])
    folder = native_folder("scope")
    sources = sorted(folder.rglob("*.c"))
    compiler = (*_COMPILE, *((_SEVERAL,) if cores > 1 else ()))
    more = far_end_words(lwip, tls) if lwip else []

    def compile_into(product: Path) -> None:
        command = [*compiler, "-o", str(product / "scope.so"), *map(str, sources), *more]
        done = run(command, folder=folder)
        if done.returncode:
            raise EnvironmentLacksError(f"The scope does not compile here:\n{done.stderr.strip()}")

    inputs = {
        "command": " ".join(compiler),
        "compiler": version_of(_COMPILE[0]),
        "sources": hash_tree(folder),
    }
    if lwip:
        # The source package's folder in the cache is named by its content.
        inputs |= {"far end": hash_tree(native_folder("far_end")), "lwip": lwip.parent.name}
        inputs["far end's files"] = " ".join(LWIP_FILES)
    if tls:
        inputs |= tls_inputs(tls)
    return cached("scope", inputs, compile_into, progress) / "scope.so"
