# SPDX-License-Identifier: Apache-2.0
"""How ext4 and f2fs are made of a tree, the same each time."""

from collections.abc import Mapping

BLOCK = 4096
_UUID = "00000000-0000-0000-0000-000000000001"
WRITABLE: Mapping[str, str] = {
    "ext4": f"""
export E2FSPROGS_FAKE_TIME=1262304000
mke2fs -q -F -t ext4 -b {BLOCK} -m 0 -U {_UUID} -d root \\
    -E hash_seed={_UUID},lazy_itable_init=0,root_owner=0:0 "$1" "$2"
dumpe2fs -h "$1" | awk '
    /^Inode count:/ {{ count = $3 }}
    /^Free inodes:/ {{ for (file = 2; file <= count - $3; file++) {{
        print "sif <" file "> atime @0"
        print "sif <" file "> ctime @0"
        print "sif <" file "> crtime @0"
    }} }}' > times
debugfs -w -f times "$1" > /dev/null
""",
    "f2fs": f"""
truncate -s $(($2 * {BLOCK})) "$1"
mkfs.f2fs -q -r -f -U {_UUID} -T 0 "$1"
sload.f2fs -P -T 0 -f root "$1"
""",
}
"""Scripts by file system, for a session of fakeroot's, which alone sees whose a file is.

The tree is `root`, $1 the image, $2 its blocks of BLOCK bytes. No program sets the times that an
ext4 takes from this machine but debugfs, by a file's number; the board's clock begins in 2010.
"""
