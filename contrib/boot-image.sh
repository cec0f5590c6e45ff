#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Boots a built image once, as a virtual board, and stores the run:
#
#   boot-image.sh OUT LIKE KERNEL SYSTEM_MAP ROOT TREE SYMBOLS [WORDS ...]
#
# LIKE is the board to be timed as. TREE is the folder that the root file system was made of, and
# SYMBOLS one with its programs before they were stripped, or "". WORDS go to `perfboard study boot`,
# as --tag commit=4f2a91c. The board's file is left in OUT, for `perfboard gate` and
# `perfboard bisect`. PERFBOARD_USABLE says when the boot is over: console:REGEX (default:
# console:login:) or exec:NAME.
set -eu

out=$1 like=$2 kernel=$3 map=$4 root=$5 tree=$6 symbols=$7
shift 7
if [ -z "$like" ]; then
	echo "boot-image.sh: needs the board to be timed as, as in \"rpi2\";" \
		"\`perfboard boards\` lists them" >&2
	exit 2
fi
for file in "$kernel" "$map" "$root"; do
	if [ ! -f "$file" ]; then
		echo "boot-image.sh: there is no $file" >&2
		exit 2
	fi
done
mkdir -p "$out"
cd "$out"
rm -f image.toml
perfboard boards new image --like "$like" --kernel "$kernel" --system-map "$map" \
	--root "$root" --usable "${PERFBOARD_USABLE:-console:login:}" >/dev/null
printf '\n[image]\ntree = "%s"\n' "$tree" >>image.toml
if [ -n "$symbols" ]; then
	printf 'symbols = "%s"\n' "$symbols" >>image.toml
fi
exec perfboard study boot --board ./image.toml --boots 1 "$@"
