# SPDX-License-Identifier: Apache-2.0
# Boots the image that was built, as a virtual board, by `bitbake -c perfboard IMAGE`:
#
#   inherit perfboard
#   IMAGE_FSTYPES += "squashfs"
#   PERFBOARD_LIKE = "rpi2"
#
# ../../boot-image.sh says what is left, and where.

# The board to be timed as; more words for `perfboard study boot`; when the boot is over.
PERFBOARD_LIKE ??= ""
PERFBOARD_WORDS ??= ""
PERFBOARD_USABLE ??= "console:login:"
PERFBOARD_FSTYPE ??= "squashfs"
# Perfboard runs compilers and emulators of this machine, which a build's own PATH hides.
PERFBOARD_PATH ??= "/usr/local/bin:/usr/bin:/bin"

do_perfboard() {
	map=${STAGING_KERNEL_BUILDDIR}/System.map
	for file in "$map"-*; do
		[ ! -f "$file" ] || map=$file
	done
	PATH="${PERFBOARD_PATH}" PERFBOARD_USABLE="${PERFBOARD_USABLE}" \
		"${PERFBOARD_LAYER}/../boot-image.sh" "${DEPLOY_DIR_IMAGE}/perfboard" \
		"${PERFBOARD_LIKE}" "${DEPLOY_DIR_IMAGE}/${KERNEL_IMAGETYPE}" "$map" \
		"${DEPLOY_DIR_IMAGE}/${IMAGE_LINK_NAME}.${PERFBOARD_FSTYPE}" "${IMAGE_ROOTFS}" "" \
		${PERFBOARD_WORDS}
}

addtask perfboard after do_image_complete
do_perfboard[depends] += "virtual/kernel:do_deploy virtual/kernel:do_shared_workdir"
# Debian's packages of the bootloader are fetched, and a boot may be wanted again.
do_perfboard[network] = "1"
do_perfboard[nostamp] = "1"
