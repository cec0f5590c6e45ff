# SPDX-License-Identifier: Apache-2.0
# forward.sh REPEATS MS: datagrams that the board sends on by the card on which they came.
#
# On a virtual board the far end of its network sends them (native/far_end/generator.h). On any
# other target a script that `unshare -n` began has both ends. Prints the rows `trial` or `refused`
# after that of their way, with the counters of the processors before and after them.
repeats=$1 ms=$2 window=64
# Nobody has these addresses (RFC 5737).
beyond=198.51.100.1
refuse() { "$PROBE" say refused what=forward why="$1"; }
if [ -n "${SCOPE+set}" ]; then
    near=$BOARD far=$FAR_END
    try() { echo "TRIAL $1 9 1 $ms 0 $window" | nc "$far" "$PORT"; }
else
    . ./ends.sh
    mac=$(ip link show eth0 | sed -n 's/.*link\/ether \([^ ]*\).*/\1/p')
    try() {
        seen=$far
        [ "$1" = forward ] || seen=$near
        there "$PROBE" forward far0 "$mac" "$far" "$seen" "$beyond" "$ms" "$window"
    }
fi
settings=/proc/sys/net/ipv4
echo 1 > $settings/ip_forward || exit 1
# A router says by them that its card is the wrong way round, and this one is to be.
for name in all eth0; do echo 0 > $settings/conf/$name/send_redirects; done
ip route add "$beyond/32" via "$far" dev eth0 || exit 1
count() { echo "@file /proc/stat"; cat /proc/stat; }
many() {
    "$PROBE" say said name=way text="$1"
    left=$repeats
    while [ "$left" -gt 0 ]; do
        count
        try "$1"
        left=$((left - 1))
    done
    count
}
many forward
"$PROBE" say said name=way text=nat
if ! command -v nft > /dev/null; then
    refuse "the target has no nft; on Debian, install nftables there"
elif nft -f - 2> wrong << RULES
table ip perfboard {
    chain leaving {
        type nat hook postrouting priority 100
        oifname eth0 masquerade
    }
}
RULES
then
    many nat
else
    refuse "its kernel takes no rule of nftables that translates addresses: $(head -c 200 wrong | tr '\n' ' ')"
fi
