# SPDX-License-Identifier: Apache-2.0
# ssh.sh WHERE FOLDER REPEATS SIZE CIPHER...
#
# Copies SIZE bytes to a file in FOLDER, which is this user's alone, by ssh, over loopback, by each
# cipher; prints the times (native/probe/commands/time.c) labelled ssh-WHERE-CIPHER, of nothing by
# the first one ssh-WHERE-login. Keys, server and known hosts are its own, in a folder next to the
# probe, and go with it. The kernel chooses the port, and the client knows the server by its key.
where=$1 folder=$(cd "$2" && pwd) repeats=$3 size=$4
shift 4
umask 077
own=${PROBE%/*}/keys file=$folder/file server= made=
refuse() { "$PROBE" say refused what=ssh why="$1"; }
finish() {
    [ -z "$server" ] || kill "$server" 2> /dev/null
    [ -z "$made" ] || rmdir "$made"
    rm -rf "$own" "$file"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
mkdir "$own" || exit 1
cat=$(command -v cat)
daemon=$(command -v sshd || echo /usr/sbin/sshd)
if [ -x "$daemon" ] && command -v ssh ssh-keygen > /dev/null; then
    ssh-keygen -q -t ecdsa -N "" -f "$own/host" && ssh-keygen -q -t ecdsa -N "" -f "$own/user" || exit 1
    echo "perfboard $(cut -d ' ' -f 1,2 "$own/host.pub")" > "$own/known"
    # Where root runs it, it wants this folder.
    [ "$(id -u)" != 0 ] || [ -d /run/sshd ] || { mkdir /run/sshd && made=/run/sshd; }
    set_of="-o StrictModes=no -o UsePAM=no -o PidFile=none -o PasswordAuthentication=no"
    set_of="$set_of -o PermitRootLogin=prohibit-password -o PermitUserRC=no"
    client="ssh -F /dev/null -i $own/user -o IdentitiesOnly=yes -o IdentityAgent=none -o LogLevel=ERROR"
    client="$client -o UserKnownHostsFile=$own/known -o GlobalKnownHostsFile=/dev/null"
    client="$client -o StrictHostKeyChecking=yes -o HostKeyAlias=perfboard -o BatchMode=yes"
    client="$client -o Compression=no -p"
    serve() {
        # shellcheck disable=SC2086
        exec "$daemon" -D -f /dev/null -p "$port" -o ListenAddress=127.0.0.1 \
            -o "HostKey=$own/host" -o "AuthorizedKeysFile=$own/user.pub" $set_of
    }
    "$PROBE" say said name=server text=OpenSSH
elif [ -b /dev/pbd ] && command -v dropbear dbclient dropbearkey > /dev/null; then
    # It takes the keys of the user's own folder alone: that of a virtual board, which is gone then.
    mkdir -p "$HOME/.ssh"
    dropbearkey -t ecdsa -f "$own/host" 2> /dev/null | sed -n 's/^\(ecdsa[^ ]* [^ ]*\).*/127.0.0.1 \1/p' \
        > "$HOME/.ssh/known_hosts"
    dropbearkey -t ecdsa -f "$own/user" 2> /dev/null | grep '^ecdsa' > "$HOME/.ssh/authorized_keys"
    client="dbclient -i $own/user -p"
    serve() { exec dropbear -F -E -r "$own/host" -p "127.0.0.1:$port" -P "$own/pid"; }
    "$PROBE" say said name=server text=dropbear
else
    refuse "the target has no OpenSSH (sshd, ssh and ssh-keygen)"
    exit 0
fi
# Another program may take the port before the server has it.
begin() {
    port=$("$PROBE" tcp-serve 127.0.0.1 < /dev/null | sed -n 's/.*"port":\([0-9]*\).*/\1/p')
    serve 2> "$own/said" &
    server=$!
}
begin
copy() {
    rm -f "$own/times"
    "$PROBE" time "$own/times" "ssh-$where-$1" "$repeats" sh -c \
        "exec $client $port -c $2 $(id -un)@127.0.0.1 'exec $cat > $file' < $3 2> $own/wrong" > /dev/null
    cat "$own/times"
}
: > "$own/nothing"
head -c "$size" /dev/urandom > "$own/data"
tries=0
until $client "$port" -c "$1" "$(id -un)@127.0.0.1" true < "$own/nothing" 2> "$own/wrong"; do
    tries=$((tries + 1))
    if ! kill -0 "$server" 2> /dev/null && [ $tries -lt 4 ]; then
        begin
    elif [ $tries -ge 20 ] || ! kill -0 "$server" 2> /dev/null; then
        refuse "$(cat "$own/said" "$own/wrong" | tail -c 300 | tr '\n' ' ')"
        exit 0
    fi
    sleep 0.3
done
copy login "$1" "$own/nothing"
for cipher; do
    copy "$cipher" "$cipher" "$own/data"
    [ "$(wc -c < "$file")" -eq "$size" ] || refuse "$cipher: $(head -c 300 "$own/wrong" | tr '\n' ' ')"
done
