# SPDX-License-Identifier: Apache-2.0
# wireguard.sh REPEATS MS: TCP through WireGuard between two network namespaces, begun by `unshare -n`.
#
# Prints the rows of native/probe/commands/tcp.c, with the counters of the processors around each.
# The names and addresses are the board's own business, as are the keys, which nobody keeps.
repeats=$1 ms=$2
refuse() { "$PROBE" say refused what=wireguard why="$1"; }
umask 077
. ./ends.sh
if ! ip link add name wg0 type wireguard 2> wrong; then
    refuse "the target's kernel has no WireGuard: $(words)"
    exit 0
fi
command -v wg > /dev/null || { "$PROBE" say missing programs=" wg"; exit 0; }
here=198.51.100.1 beyond=198.51.100.2
wg genkey > here.key && wg genkey > beyond.key || exit 1
wg set wg0 listen-port 11001 private-key here.key peer "$(wg pubkey < beyond.key)" \
    allowed-ips "$beyond/32" endpoint "$far:11002" || exit 1
ip address add "$here/32" peer "$beyond" dev wg0 && ip link set wg0 up || exit 1
there ip link add name wg0 type wireguard || exit 1
there wg set wg0 listen-port 11002 private-key beyond.key peer "$(wg pubkey < here.key)" \
    allowed-ips "$here/32" endpoint "$near:11001" || exit 1
there ip address add "$beyond/32" peer "$here" dev wg0 && there ip link set wg0 up || exit 1
mkfifo lines
there "$PROBE" tcp-serve "$beyond" < lines > port &
server=$!
exec 4> lines
until [ -s port ]; do kill -0 "$server" || exit 1; sleep 0.01; done
port=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' port)
talk() { echo "$*" | "$PROBE" tcp "$beyond" "$port" 4>&-; }
# The first packet waits for the tunnel's handshake.
talk ping 1 1 > said || { cat said; exit 1; }
count() { echo "@file /proc/stat"; cat /proc/stat; }
count
while [ "$repeats" -gt 0 ]; do
    talk send 1 "$ms"
    count
    repeats=$((repeats - 1))
done
