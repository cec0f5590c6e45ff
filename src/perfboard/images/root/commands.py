# SPDX-License-Identifier: Apache-2.0
"""The commands that make an image of a root file system, as a user would run them too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfboard.images.root.filesystems import SIZES, SYSTEMS
from perfboard.images.root.recipe import RootRecipe
from perfboard.images.root.tree import Node
from perfboard.images.root.ubi import leb_size, volume_size
from perfboard.images.root.writable import BLOCK, WRITABLE

# The folder of the files, next to which the commands run.
TREE = "root"
# The files that some of the commands read.
NODES, ORDER, VOLUME = "nodes.txt", "order.txt", "volume.ini"
_UUID = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True)
class RootCommands:
    """Commands, and the files next to the tree that they read, by name.

    If `pretended`, they are one session of fakeroot: only its last command sees nodes that the
    others make. In the file of an order, a path may be a pattern.
    """

    commands: tuple[tuple[str, ...], ...]
    files: Mapping[str, str] = field(default_factory=dict)
    pretended: bool = False


def image_name(system: str) -> str:
    """The image's name in the last of the commands."""
    return f"{TREE}.{system}"


def commands_of(root: RootRecipe, nodes: Sequence[Node], sector: int, room: int) -> RootCommands:
    """How to make the image of the tree with those nodes, for `room` bytes of flash."""
    image = image_name(root.system)
    match SYSTEMS[root.system].type:
        case "squashfs":
            return _squashfs(root, nodes, image)
        case "jffs2":
            return _jffs2(root, nodes, image, sector)
        case "ubifs":
            return _ubifs(nodes, image, sector, room)
        case "erofs":
            return _erofs(nodes, image)
        case "romfs":
            return _romfs(nodes, image)
        case "ext4" | "f2fs" as system:
            return _writable(system, nodes, image)
    # Debian has no tool that places code as it lies, nor one that is the same each time.
    command = ["python", "-m", "perfboard.images.root.write", "--nodes", NODES]
    command += [f"--in-place={pattern}" for pattern in SYSTEMS[root.system].in_place]
    form = SYSTEMS[root.system].type or "initramfs"
    return RootCommands(((*command, form, TREE, image),), {NODES: _table(nodes)})


def _table(nodes: Sequence[Node]) -> str:
    """The nodes as the tools of MTD read them: mkfs.jffs2(1), --devtable."""
    return "".join(f"/{n.path} {n.kind} {n.mode:o} 0 0 {n.major} {n.minor} 0 0 -\n" for n in nodes)


def _squashfs(root: RootRecipe, nodes: Sequence[Node], image: str) -> RootCommands:
    _, _, compressor = root.system.partition("-")
    command = ["mksquashfs", TREE, image, "-comp", compressor or "gzip"]
    command += ["-noappend", "-no-progress", "-b", str(root.block)]
    command += ["-all-root", "-no-xattrs", "-mkfs-time", "0", "-all-time", "0"]
    command += ["-Xhc"] if compressor == "lz4" else []
    files = {}
    if root.order != "name":
        command += ["-sort", ORDER]
        # The greater the number, the sooner.
        used = root.first_used
        files[ORDER] = "".join(f"{path} {len(used) - at}\n" for at, path in enumerate(used))
    # mksquashfs makes the nodes, so root need not. The console is there before any script runs.
    for node in nodes:
        numbers = f"{node.mode:o} 0 0 {node.major} {node.minor}"
        command += ["-p", f"{node.path} {node.kind} {numbers}"]
    return RootCommands((tuple(command),), files)


def _jffs2(root: RootRecipe, nodes: Sequence[Node], image: str, sector: int) -> RootCommands:
    summary = root.system == "jffs2-summary"
    first = f"{image}.plain" if summary else image
    make = (
        *("mkfs.jffs2", "--little-endian", f"--eraseblock={sector}", f"--root={TREE}"),
        *(f"--output={first}", "--faketime", "--squash-uids", f"--devtable={NODES}", "--pad"),
    )
    # sumtool knows the first of these as --littleendian alone.
    options = ("-l", f"--eraseblock={sector}", "--pad")
    sum_up = ("sumtool", *options, f"--input={first}", f"--output={image}")
    return RootCommands((make, sum_up) if summary else (make,), {NODES: _table(nodes)})


def _ubifs(nodes: Sequence[Node], image: str, sector: int, room: int) -> RootCommands:
    size = volume_size(sector, room)
    volume = f"{image}.volume"
    make = (
        *("mkfs.ubifs", f"--root={TREE}", f"--output={volume}"),
        *("--min-io-size=8", f"--leb-size={leb_size(sector)}", "--squash-uids"),
        *(f"--max-leb-cnt={size // leb_size(sector)}", f"--devtable={NODES}"),
    )
    lay_out = (
        *("ubinize", f"--output={image}", f"--peb-size={sector}"),
        *("--min-io-size=1", "--image-seq=1", VOLUME),
    )
    settings = (
        f"[root]\nmode=ubi\nimage={volume}\nvol_id=0\nvol_type=dynamic\nvol_name=root\n"
        f"vol_size={size}\n"
    )
    return RootCommands((make, lay_out), {NODES: _table(nodes), VOLUME: settings})


def _erofs(nodes: Sequence[Node], image: str) -> RootCommands:
    options = ("--quiet", "-zlz4hc", "-T0", "-x-1", "--all-root", "-U", _UUID)
    return _of_a_tree(nodes, ("mkfs.erofs", *options, image, TREE))


def _writable(system: str, nodes: Sequence[Node], image: str) -> RootCommands:
    # The nodes are as new as the session.
    script = f"find {TREE} -exec touch -h -d @0 {{}} +{WRITABLE[system]}"
    blocks = SIZES[system] // BLOCK
    return _of_a_tree(nodes, ("sh", "-e", "-c", script, "sh", image, str(blocks)))


def _of_a_tree(nodes: Sequence[Node], command: tuple[str, ...]) -> RootCommands:
    """The command of a tool that takes nodes from a tree alone."""
    make = [
        ("mknod", f"--mode={n.mode:o}", f"{TREE}/{n.path}", n.kind, str(n.major), str(n.minor))
        for n in nodes
    ]
    return RootCommands((*make, command), pretended=True)


def _romfs(nodes: Sequence[Node], image: str) -> RootCommands:
    # genromfs(8): a file of such a name stands for a node.
    named = []
    for node in nodes:
        folder, _, name = f"{TREE}/{node.path}".rpartition("/")
        named.append(("touch", f"{folder}/@{name},{node.kind},{node.major},{node.minor}"))
    return RootCommands((*named, ("genromfs", "-d", TREE, "-f", image, "-V", "root")))
