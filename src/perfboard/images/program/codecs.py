# SPDX-License-Identifier: Apache-2.0
"""Codecs from Debian's source packages, for parts older than Debian's own programs and for targets
without them.

They are static, with musl: Debian's own C library has instructions of i686 too. None of the
packages' build systems is needed for so few files.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from perfboard.binaries.probe import compiler_folder
from perfboard.binaries.probe_build import (
    ARCHITECTURES,
    compiler_version,
    require_compiler,
    run_compiler,
)
from perfboard.host.cache.cache import cached
from perfboard.images.packages.apt_source import SourceState
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.progress import Progress

_COMMAND = (*("ziglang", "cc", "-std=gnu11", "-O2", "-w", "-static", "-s", "-fno-lto", "-I."),)
_PARTS = {**ARCHITECTURES, "pentium": ARCHITECTURES["i486"]._replace(processor="pentium")}


@dataclass(frozen=True)
class Codec:
    """A source package, and how its programs are built.

    `common` are patterns of the files that each of `programs` has besides its own, less `without`.
    `headers` are those that the package's build system would make: the text, or the file that it
    is copied from. `flags` are the definitions that would be in them.
    """

    source: str
    programs: Mapping[str, tuple[str, ...]]
    common: tuple[str, ...]
    without: tuple[str, ...]
    headers: Mapping[str, str]
    flags: tuple[str, ...]


CODECS = {
    "libjpeg-turbo": Codec(
        source="libjpeg-turbo",
        programs={
            "djpeg": ("djpeg.c", "rdcolmap.c", "wrppm.c"),
            "cjpeg": ("cjpeg.c",),
        },
        common=(
            *("j[cd]*.c", "jaricom.c", "jerror.c", "jfdct*.c", "jidct*.c", "jquant*.c"),
            *("jutils.c", "jmem*.c", "jsimd_none.c", "cdjpeg.c", "rdswitch.c", "rdppm.c"),
        ),
        # Parts of other files, the other library's, and a test.
        without=("j*ext.c", "*565.c", "*-tj.c", "jcstest.c"),
        headers={"jconfig.h": "", "jconfigint.h": "", "jversion.h": "jversion.h.in"},
        flags=(
            *("-DJPEG_LIB_VERSION=62", "-DLIBJPEG_TURBO_VERSION=debian"),
            *("-DLIBJPEG_TURBO_VERSION_NUMBER=2001000", "-DBITS_IN_JSAMPLE=8"),
            *("-DC_ARITH_CODING_SUPPORTED=1", "-DD_ARITH_CODING_SUPPORTED=1"),
            *("-DMEM_SRCDST_SUPPORTED=1", '-DBUILD=""', "-DINLINE=inline", "-DFALLTHROUGH="),
            *("-DTHREAD_LOCAL=_Thread_local", '-DPACKAGE_NAME="libjpeg-turbo"'),
            *('-DVERSION="debian"', "-DSIZEOF_SIZE_T=__SIZEOF_SIZE_T__", "-DHAVE_BUILTIN_CTZL"),
            "-DPPM_SUPPORTED",
        ),
    ),
    "flac": Codec(
        source="flac",
        programs={"flac": ()},
        common=(
            *("src/libFLAC/*.c", "src/flac/*.c", "src/share/getopt/*.c", "src/share/grabbag/*.c"),
            *("src/share/replaygain_*/*.c", "src/share/utf8/utf8.c", "src/share/utf8/charset.c"),
        ),
        # FLAC within Ogg, SIMD, and another program.
        without=("ogg_*.c", "*_intrin_*.c", "iffscan.c"),
        headers={},
        flags=(
            *("-Iinclude", "-Isrc/libFLAC/include", "-DFLAC__HAS_OGG=0", "-DFLAC__NO_ASM"),
            *("-DFLAC__NO_DLL", '-DPACKAGE_VERSION="debian"', "-DHAVE_STDINT_H"),
            *("-DHAVE_INTTYPES_H", "-DHAVE_LROUND", "-DHAVE_FSEEKO", "-DHAVE_LANGINFO_CODESET"),
            *("-DCPU_IS_BIG_ENDIAN=(__BYTE_ORDER__==__ORDER_BIG_ENDIAN__)", "-DNDEBUG"),
            *("-DWORDS_BIGENDIAN=CPU_IS_BIG_ENDIAN", "-DENABLE_64_BIT_WORDS=0"),
        ),
    ),
    "lame": Codec(
        source="lame",
        programs={"lame": ()},
        common=("libmp3lame/*.c", "frontend/*.c"),
        # Other programs.
        without=("gpkplotting.c", "gtkanal.c", "mp3*.c", "rtp.c", "amiga*.c"),
        headers={},
        flags=(
            *("-Iinclude", "-Ilibmp3lame", "-Ifrontend", "-DSTDC_HEADERS", "-DHAVE_STDINT_H"),
            *("-DHAVE_INTTYPES_H", "-DHAVE_STRING_H", "-DHAVE_STRINGS_H", "-DHAVE_ERRNO_H"),
            *("-DHAVE_FCNTL_H", "-DHAVE_LIMITS_H", "-DHAVE_UNISTD_H", "-DHAVE_SYS_TIME_H"),
            *("-DHAVE_STRCHR", "-DHAVE_MEMCPY", "-DLAME_LIBRARY_BUILD", '-DPACKAGE="lame"'),
            *('-DVERSION="debian"', "-DNOANALYSIS", "-Dieee754_float32_t=float"),
            *("-DTAKEHIRO_IEEE754_HACK", "-DUSE_FAST_LOG"),
        ),
    ),
}


def codec_part(board: VirtualBoard) -> str:
    """The part that codecs are built for; "" where the board's runs Debian's own."""
    lacks = board.timing.lacks if board.timing else None
    if lacks is None or board.machine.architecture.isa != "x86":
        return ""
    return "i486" if "pentium" in lacks.kinds else "pentium"


@dataclass(frozen=True)
class BuiltCodec:
    """The programs by their names, and the build in words."""

    programs: Mapping[str, Path]
    words: str


def build_codec(name: str, part: str, progress: Progress) -> BuiltCodec:
    """One of `CODECS` for `part`: "pentium", or one that has a probe; built once, and cached.

    Raises EnvironmentLacksError where the source or the compiler cannot be had.
    """
    require_compiler(part)
    codec, sources = CODECS[name], SourceState(progress)
    package = sources.resolve(codec.source)
    machines = _PARTS[part]
    command = [*_COMMAND, "-target", machines.target, f"-mcpu={machines.processor}", *codec.flags]
    inputs = {
        "source": f"{package.name} {package.version} {package.sha256}",
        "compiler": compiler_version(),
        "command": " ".join(command),
        "codec": repr(codec),
    }

    def build(folder: Path) -> None:
        (tree,) = (path for path in sources.unpack(codec.source).iterdir() if path.is_dir())
        headers = folder / "headers"
        headers.mkdir()
        for header, text in codec.headers.items():
            (headers / header).write_text((tree / text).read_text() if text else "")
        with (
            compiler_folder(part, progress) as kept,
            progress.step(f"building {name} for {part}", len(codec.programs)) as step,
        ):
            for number, (program, own) in enumerate(codec.programs.items()):
                files = [*own, *common_files(codec, tree)]
                words = [*command, f"-I{headers}", *files, "-lm"]
                run_compiler(tree.name, words, folder / program, tree, kept)
                step.update(number + 1)

    entry = cached("codec", inputs, build, progress)
    return BuiltCodec(
        {program: entry / program for program in codec.programs},
        f"{name} {package.version} was built from Debian's source for {part}, static and "
        f"without SIMD, by ziglang {compiler_version()} with musl: cc {' '.join(command[2:])}",
    )


def common_files(codec: Codec, tree: Path) -> list[str]:
    """The files of the source in folder `tree` that each program of the codec has."""
    found = {path for pattern in codec.common for path in tree.glob(pattern)}
    return sorted(
        path.relative_to(tree).as_posix()
        for path in found
        if not any(path.match(pattern) for pattern in codec.without)
    )
