#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first process of a board whose Debian packages are unpacked and not configured: it does what
# `dpkg --install` would do after unpacking, and starts the board anew, which ends the emulator.
# Its arguments are the console's device and rate.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true DPKG_COLORS=never
LC_ALL=C TERM=dumb
export PATH DEBIAN_FRONTEND DEBCONF_NONINTERACTIVE_SEEN DPKG_COLORS LC_ALL TERM

end() {
    rm -f /usr/sbin/policy-rc.d
    sync
    mount -o remount,ro /dev/pbd /
    echo "perfboard-configure: $1"
    reboot -f -f
    exit 1
}

# A file that runs cannot go, and the disk is to be whole at the end.
if [ "$0" != /run/configure ]; then
    mount -t tmpfs tmpfs /run
    cp "$0" /run/configure
    rm "$0"
    exec sh /run/configure "$@"
fi

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
# No service is to start.
printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d

# The users come first: others look for theirs.
for script in /var/lib/dpkg/info/base-passwd.preinst /var/lib/dpkg/info/*.preinst; do
    name=${script##*/}
    name=${name%.preinst}
    DPKG_MAINTSCRIPT_PACKAGE=${name%:*} DPKG_MAINTSCRIPT_NAME=preinst \
        "$script" install || end "$script failed"
done
dpkg --configure -a || end "dpkg failed"
passwd -q -d root
# System V init has its terminals in a file: one on the serial console, none on a screen.
if [ -e /etc/inittab ]; then
    sed -i '/:respawn:.*getty.* tty[0-9]/d' /etc/inittab
    echo "S0:2345:respawn:/sbin/getty -L $1 $2 vt100" >> /etc/inittab
fi
# systemd would bring both up to date at the first boot.
: > /etc/.updated
: > /var/.updated
end "done"
