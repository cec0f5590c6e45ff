#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Boots the image that Buildroot just built, as a virtual board: `make perfboard`, or after each build
#
#   BR2_ROOTFS_POST_IMAGE_SCRIPT="/path/to/post-image.sh"
#   BR2_ROOTFS_POST_SCRIPT_ARGS="LIKE [WORDS ...]"
#
# ../boot-image.sh says what LIKE and WORDS are.
set -eu

images=$1 like=${2:-}
shift "$(($# < 2 ? $# : 2))"

first() {
	for file; do
		if [ -f "$file" ]; then
			break
		fi
	done
	# The last of them, where there is none, for the message that names it.
	echo "$file"
}

exec "$(dirname "$0")/../boot-image.sh" "$images/perfboard" "$like" \
	"$(first "$images/zImage" "$images/uImage" "$images/Image")" \
	"$(first "${BUILD_DIR:?}"/linux-*/System.map)" \
	"$(first "$images/rootfs.jffs2" "$images/rootfs.cramfs" "$images/rootfs.romfs" \
		"$images/rootfs.erofs" "$images/rootfs.squashfs")" \
	"${TARGET_DIR:?}" "${STAGING_DIR:?}" "$@"
