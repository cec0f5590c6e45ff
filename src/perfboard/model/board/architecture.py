# SPDX-License-Identifier: Apache-2.0
"""The architectures that images are built for, and what differs between them."""

from dataclasses import dataclass

from perfboard.model.board.virtual import VirtualBoard


@dataclass(frozen=True)
class Architecture:
    """A family of processors, for building, booting and emulating.

    `name` is Debian's. `kernel` is where the kernel's build leaves what the bootloader
    starts with its command `boot`, which is empty where the emulator itself does; the
    file's name is make's target too, and the kernel
    is known by the bytes `magic` at `magic_at`. `triplet` begins the names of the
    compiler's programs; `multiarch` is Debian's folder of libraries, `loader` the name
    of the dynamic linker. The last of the `switch_words` arguments of the kernel's
    `__switch_to` is the task that gets the processor. `probe` is the binary of the probe
    that all of the family's boards run. `distribution` names Debian's configuration of its
    plain kernel. `older_ports` are Debian's ports for older processors of the family.
    """

    name: str
    emulator: str
    emulator_package: str
    triplet: str
    compiler_package: str
    libc_package: str
    multiarch: str
    loader: str
    kernel_arch: str
    kernel: str
    magic_at: int
    magic: bytes
    boot: str
    switch_words: int
    probe: str
    distribution: str
    older_ports: tuple[str, ...] = ()

    @property
    def kernel_name(self) -> str:
        """The name of the kernel's file."""
        return self.kernel.rpartition("/")[2]


# The places of the magic numbers are from Linux: arch/arm/boot/compressed/head.S,
# Documentation/arm64/booting.rst and Documentation/x86/boot.rst.
ARCHITECTURES = (
    Architecture(
        name="armhf",
        emulator="qemu-system-arm",
        emulator_package="qemu-system-arm",
        triplet="arm-linux-gnueabihf",
        compiler_package="gcc-arm-linux-gnueabihf",
        libc_package="libc6-dev-armhf-cross",
        multiarch="arm-linux-gnueabihf",
        loader="ld-linux-armhf.so.3",
        kernel_arch="arm",
        kernel="arch/arm/boot/zImage",
        magic_at=0x24,
        magic=b"\x18\x28\x6f\x01",
        boot="bootz",
        switch_words=3,
        probe="armv7",
        distribution="armhf_none_armmp",
        older_ports=("armel",),
    ),
    Architecture(
        name="arm64",
        emulator="qemu-system-aarch64",
        emulator_package="qemu-system-arm",
        triplet="aarch64-linux-gnu",
        compiler_package="gcc-aarch64-linux-gnu",
        libc_package="libc6-dev-arm64-cross",
        multiarch="aarch64-linux-gnu",
        loader="ld-linux-aarch64.so.1",
        kernel_arch="arm64",
        kernel="arch/arm64/boot/Image",
        magic_at=0x38,
        magic=b"ARM\x64",
        boot="booti",
        switch_words=2,
        probe="aarch64",
        distribution="arm64_none_arm64",
    ),
    Architecture(
        name="i386",
        emulator="qemu-system-i386",
        emulator_package="qemu-system-x86",
        triplet="i686-linux-gnu",
        compiler_package="gcc-i686-linux-gnu",
        libc_package="libc6-dev-i386-cross",
        multiarch="i386-linux-gnu",
        loader="ld-linux.so.2",
        kernel_arch="i386",
        kernel="arch/x86/boot/bzImage",
        magic_at=0x202,
        magic=b"HdrS",
        boot="",
        switch_words=2,
        probe="i486",
        distribution="i386_none_686",
    ),
)


def architecture_of(board: VirtualBoard) -> Architecture:
    """That of the board's programs, which its emulator runs."""
    return next(known for known in ARCHITECTURES if known.emulator == board.machine.emulator)
