# SPDX-License-Identifier: Apache-2.0
# . ends.sh: two ends of a network, for a script that `unshare -n` began.
#
# This shell's namespace is one end, with the card eth0; the other one is that of a process, with
# far0. They are joined, with the addresses below. All of it goes when this shell ends, however it
# does: the process reads from it. `there` runs a program at the other end.
# The last words of what failed.
words() { tail -c 200 wrong | tr '\n' ' ' | sed 's/[. ]*$//'; }
near=192.0.2.2 far=192.0.2.1
mkfifo held || exit 1
unshare -n cat held > /dev/null &
other=$!
exec 3> held
# It has the namespace of its own a little later.
until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
there() { nsenter -t "$other" -n "$@" 3>&-; }
ip link add name eth0 type veth peer name far0 netns "$other" 2> wrong || {
    refuse "two namespaces cannot be joined: $(words)"
    exit 0
}
ip address add "$near/24" dev eth0
there ip address add "$far/24" dev far0
for name in lo eth0; do ip link set "$name" up; done
for name in lo far0; do there ip link set "$name" up; done
