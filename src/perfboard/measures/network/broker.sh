# SPDX-License-Identifier: Apache-2.0
# broker.sh REPEATS ONE MANY [USER]: messages from mosquitto_pub by mosquitto, on loopback, to mosquitto_sub.
#
# The broker, begun by root, becomes USER, by default its own one. ONE of them go each after another, MANY with up to 100 under way. Prints the rows of
# native/probe/commands/network/lines.c, labelled by the rows before them.
repeats=$1 one=$2 many=$3 user=$4
umask 077
refuse() { "$PROBE" say refused what=broker why="$1"; }
# Debian has the server where only root looks for programs.
PATH="$PATH:/usr/sbin"
command -v mosquitto > /dev/null || { "$PROBE" say missing programs=" mosquitto"; exit 0; }
broker= clients=
finish() { kill $broker $clients 2> /dev/null; }
trap finish EXIT
trap 'exit 1' HUP INT TERM
begin() {
    # The kernel chooses the port; another program may take it before the broker has it.
    port=$("$PROBE" tcp-serve 127.0.0.1 < /dev/null | sed -n 's/.*"port":\([0-9]*\).*/\1/p')
    {
        echo "listener $port 127.0.0.1"
        echo "allow_anonymous true"
        echo "max_queued_messages 0"
        [ -z "$user" ] || echo "user $user"
    } > broker.conf
    chmod 644 broker.conf
    mosquitto -c "$PWD/broker.conf" > log 2>&1 &
    broker=$!
}
begin
tries=0
until mosquitto_pub -h 127.0.0.1 -p "$port" -t perfboard -q 1 -n 2> wrong; do
    tries=$((tries + 1))
    if ! kill -0 $broker 2> /dev/null && [ $tries -lt 4 ]; then
        begin
    elif [ $tries -ge 20 ] || ! kill -0 $broker 2> /dev/null; then
        refuse "mosquitto does not start: $(cat log wrong | tail -c 300 | tr '\n' ' ')"
        exit 0
    fi
    sleep 0.3
done
mkfifo to from
# A pipe's two ends wait for each other, and are then held until the script ends.
mosquitto_sub -h 127.0.0.1 -p "$port" -t perfboard -q 1 > from 2> wrong &
clients=$!
exec 4< from
mosquitto_pub -h 127.0.0.1 -p "$port" -t perfboard -q 1 -l < to 2>> wrong 4<&- &
clients="$clients $!"
exec 3> to
pass() {
    "$PROBE" say said name=way text="$1"
    "$PROBE" lines to from "$2" "$3"
}
while [ "$repeats" -gt 0 ]; do
    pass one "$one" 1
    pass many "$many" 100
    repeats=$((repeats - 1))
done
[ ! -s wrong ] || { "$PROBE" say said name=wrong text="$(head -c 300 wrong | tr '\n' ' ')"; }
