#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Boots the image that Buildroot just built, as a virtual board: a post-image script.
#
#   BR2_ROOTFS_POST_IMAGE_SCRIPT="/path/to/post-image.sh"
#   BR2_ROOTFS_POST_SCRIPT_ARGS="LIKE [WORDS ...]"
#
# LIKE is the board to be timed as. WORDS go to `perfboard study boot`, as --tag commit=4f2a91c.
# The board's file is left in images/perfboard, for `perfboard gate` and `perfboard bisect`.
# PERFBOARD_USABLE says when the boot is over: console:REGEX (default: console:login:) or exec:NAME.
set -eu

images=$1
if [ $# -lt 2 ]; then
	echo "post-image.sh: BR2_ROOTFS_POST_SCRIPT_ARGS: wants the board to be timed as," \
		"as in \"rpi2\"; \`perfboard boards\` lists them" >&2
	exit 2
fi
like=$2
shift 2

first() {
	for file; do
		if [ -f "$file" ]; then
			echo "$file"
			return
		fi
	done
	echo "post-image.sh: there is none of: $*" >&2
	exit 2
}

kernel=$(first "$images/zImage" "$images/Image" "$images/uImage")
root=$(first "$images/rootfs.squashfs" "$images/rootfs.cramfs" "$images/rootfs.romfs" \
	"$images/rootfs.jffs2" "$images/rootfs.erofs")
map=$(first "${BUILD_DIR:?}"/linux-*/System.map)

mkdir -p "$images/perfboard"
cd "$images/perfboard"
rm -f image.toml
perfboard boards new image --like "$like" --kernel "$kernel" --system-map "$map" \
	--root "$root" --usable "${PERFBOARD_USABLE:-console:login:}" >/dev/null
cat >>image.toml <<END

[image]
tree = "${TARGET_DIR:?}"
symbols = "${STAGING_DIR:?}"
END
exec perfboard study boot --board ./image.toml --boots 1 "$@"
