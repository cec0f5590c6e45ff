# SPDX-License-Identifier: Apache-2.0
"""The architectures that images are built for, and what differs between them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Need:
    """A kernel's need: `of` what, the options of which one does, how names of such a kernel begin.

    A System.map says nothing about a need without `symbols`.
    """

    of: str
    options: tuple[str, ...]
    symbols: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{' or '.join(self.options)} ({self.of})"


@dataclass(frozen=True)
class Architecture:
    """A family of processors, for building, booting and emulating.

    `name` is Debian's, `title` people's, `isa` that of native/scope/timing/reader.h.

    The machine that the emulator makes has its memory from `ram_base` on, at most
    `processors`, and `ports` where its console is not in memory; `needs` are those of any
    kernel there. `kernel` is where the kernel's build leaves what the bootloader
    starts with its command `boot`, which is empty where the emulator itself does, at `entry`; the
    file's name is make's target too, and the kernel
    is known by the bytes `magic` at `magic_at`, and with a header for U-Boot by `number`.
    With `in_flash`, it can run there, and with `hides` tell programs less of its processor's
    features than there are. The last of the `switch_words` arguments of its
    `__switch_to` is the task that gets the processor.

    `triplet` begins the names of the compiler's programs; `multiarch` is Debian's folder of
    libraries, `loader` the name of the dynamic linker, and `linked` the other compiler's target
    for programs with these libraries. `probes` are the binaries of the probe, of which all of the
    family's boards run the first. `distribution` names Debian's configuration of its
    plain kernel. `older` are Debian's for older processors of the family.
    """

    name: str
    title: str
    isa: str
    bits: int
    emulator: str
    emulator_package: str
    ram_base: int
    triplet: str
    compiler_package: str
    libc_package: str
    multiarch: str
    loader: str
    linked: str
    kernel_arch: str
    kernel: str
    magic_at: int
    magic: bytes
    needs: tuple[Need, ...]
    switch_words: int
    probes: tuple[str, ...]
    distribution: str
    boot: str = ""
    entry: int = 0
    number: int | None = None
    processors: int = 8
    ports: bool = False
    in_flash: bool = False
    hides: bool = False
    older: tuple[str, ...] = ()

    @property
    def kernel_name(self) -> str:
        """The name of the kernel's file."""
        return self.kernel.rpartition("/")[2]

    @property
    def probe(self) -> str:
        """The binary of the probe that all of the family's boards run."""
        return self.probes[0]


# QEMU 7.2, hw/arm/virt.c.
_ARM_RAM = 0x40000000
_ARM_NEEDS = (
    Need("its interrupts", ("CONFIG_ARM_GIC",), ("gic_",)),
    Need("its timer", ("CONFIG_ARM_ARCH_TIMER",), ("arch_timer_",)),
    Need("its console", ("CONFIG_SERIAL_AMBA_PL011_CONSOLE",), ("pl011_console_",)),
)

# The places of the magic numbers are from Linux: arch/arm/boot/compressed/head.S,
# Documentation/arm64/booting.rst and Documentation/x86/boot.rst; the numbers from U-Boot:
# include/image.h.
ARCHITECTURES = (
    Architecture(
        name="armhf",
        title="32-bit Arm",
        isa="arm",
        bits=32,
        emulator="qemu-system-arm",
        emulator_package="qemu-system-arm",
        ram_base=_ARM_RAM,
        triplet="arm-linux-gnueabihf",
        compiler_package="gcc-arm-linux-gnueabihf",
        libc_package="libc6-dev-armhf-cross",
        multiarch="arm-linux-gnueabihf",
        loader="ld-linux-armhf.so.3",
        linked="arm-linux-gnueabihf",
        kernel_arch="arm",
        kernel="arch/arm/boot/zImage",
        magic_at=0x24,
        magic=b"\x18\x28\x6f\x01",
        needs=(Need("its processor", ("CONFIG_CPU_V7",), ("__v7_setup",)), *_ARM_NEEDS),
        switch_words=3,
        probes=("armv7",),
        distribution="armhf_none_armmp",
        boot="bootz",
        number=2,
        in_flash=True,
        hides=True,
        older=("armel",),
    ),
    Architecture(
        name="arm64",
        title="64-bit Arm",
        isa="aarch64",
        bits=64,
        emulator="qemu-system-aarch64",
        emulator_package="qemu-system-arm",
        ram_base=_ARM_RAM,
        triplet="aarch64-linux-gnu",
        compiler_package="gcc-aarch64-linux-gnu",
        libc_package="libc6-dev-arm64-cross",
        multiarch="aarch64-linux-gnu",
        loader="ld-linux-aarch64.so.1",
        linked="aarch64-linux-gnu",
        kernel_arch="arm64",
        kernel="arch/arm64/boot/Image",
        magic_at=0x38,
        magic=b"ARM\x64",
        needs=_ARM_NEEDS,
        switch_words=2,
        probes=("aarch64",),
        distribution="arm64_none_arm64",
        boot="booti",
        number=22,
    ),
    Architecture(
        name="i386",
        title="x86",
        isa="x86",
        bits=32,
        emulator="qemu-system-i386",
        emulator_package="qemu-system-x86",
        ram_base=0,
        triplet="i686-linux-gnu",
        compiler_package="gcc-i686-linux-gnu",
        libc_package="libc6-dev-i386-cross",
        multiarch="i386-linux-gnu",
        loader="ld-linux.so.2",
        linked="x86-linux-gnu",
        kernel_arch="i386",
        kernel="arch/x86/boot/bzImage",
        magic_at=0x202,
        magic=b"HdrS",
        needs=(
            Need("its console", ("CONFIG_SERIAL_8250_CONSOLE",)),
            Need("its disk, by the driver of native/kernel", ("CONFIG_PERFBOARD_DISK",)),
        ),
        switch_words=2,
        # Debian's libraries are for the i686 on any of them.
        probes=("i486", "i686"),
        distribution="i386_none_686",
        # QEMU's firmware starts a kernel here, in real mode, without copying it first.
        entry=0x10200,
        processors=1,
        ports=True,
    ),
)
