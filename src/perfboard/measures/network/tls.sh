# SPDX-License-Identifier: Apache-2.0
# tls.sh REPEATS SECONDS [ADDRESS PORT CLOSED]: times `openssl s_time` at ADDRESS and PORT.
#
# Each connection is a new one with a whole handshake; those of "page" get the page data.bin too. At
# the port CLOSED nobody listens: what is timed there is the client's own start. Without an address
# OpenSSL's server runs here, with a key and a certificate that nobody keeps. Prints what the probe
# and openssl say of each.
repeats=$1 seconds=$2 address=$3 port=$4 closed=$5
if [ -z "$address" ]; then
    address=127.0.0.1
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
        -subj "/CN=$address" -keyout server.key -out ca.crt 2> wrong || { cat wrong >&2; exit 1; }
    head -c 1048576 /dev/zero > data.bin
    openssl s_server -accept "$address:0" -tls1_2 -WWW -cert ca.crt -key server.key > server 2>&1 &
    server=$!
    trap 'kill $server' EXIT
    trap 'exit 1' HUP INT TERM
    until port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' server) && [ -n "$port" ]; do
        kill -0 $server || { cat server >&2; exit 1; }
        sleep 0.1
    done
    closed=$("$PROBE" tcp-serve "$address" < /dev/null | sed -n 's/.*"port":\([0-9]*\).*/\1/p')
fi
run() {
    label=$1 at=$2
    shift 2
    rm -f times
    "$PROBE" time times "$label" 1 openssl s_time -connect "$address:$at" -new -time "$seconds" \
        -tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256 -verify 2 -CAfile ca.crt "$@" > said 2> wrong
    cat times
}
# How many connections there were, and what went wrong.
tell() {
    "$PROBE" say said name="$1" text="$(grep 'real seconds' said)"
    ! grep -q error wrong || "$PROBE" say said name=wrong text="$(grep -m 1 error wrong)"
}
while [ "$repeats" -gt 0 ]; do
    run start "$closed"
    run shake "$port"
    tell shake
    run page "$port" -www /data.bin
    tell page
    repeats=$((repeats - 1))
done
