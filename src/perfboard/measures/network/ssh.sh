# SPDX-License-Identifier: Apache-2.0
# ssh.sh WHERE FOLDER REPEATS SIZE CIPHER...
#
# Copies SIZE bytes to a file below FOLDER by ssh, over loopback, by each cipher; prints the times
# (native/probe/commands/time.c) labelled ssh-WHERE-CIPHER, of nothing by the first one
# ssh-WHERE-login. Keys, server and known hosts are its own, and go with it.
where=$1 folder=$(cd "$2" && pwd) repeats=$3 size=$4
shift 4
umask 077
temporary=${TMPDIR:-/tmp} own= place= server= made=
refuse() { "$PROBE" say refused what=ssh why="$1"; }
finish() {
    [ -z "$server" ] || kill "$server" 2> /dev/null
    [ -z "$made" ] || rmdir "$made"
    rm -rf "$own" "$place"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
own=$(mktemp -d "$temporary/perfboard-ssh.XXXXXX") || {
    refuse "no folder can be made in $temporary"
    exit 0
}
# Everybody may write to a tmpfs: where the file's name can be guessed, another user lays a link to
# a file of root's there, which the copy would overwrite.
place=$(mktemp -d "$folder/perfboard-ssh.XXXXXX") || {
    refuse "no folder can be made in $folder"
    exit 0
}
file=$place/file
port=$((20000 + $$ % 20000))
cat=$(command -v cat)
daemon=$(command -v sshd || echo /usr/sbin/sshd)
if [ -x "$daemon" ] && command -v ssh ssh-keygen > /dev/null; then
    ssh-keygen -q -t ecdsa -N "" -f "$own/host" && ssh-keygen -q -t ecdsa -N "" -f "$own/user" || exit 1
    # Where root runs it, it wants this folder.
    [ "$(id -u)" != 0 ] || [ -d /run/sshd ] || { mkdir /run/sshd && made=/run/sshd; }
    set_of="-o StrictModes=no -o UsePAM=no -o PidFile=none -o PasswordAuthentication=no"
    set_of="$set_of -o PermitRootLogin=prohibit-password -o PermitUserRC=no"
    # shellcheck disable=SC2086
    "$daemon" -D -f /dev/null -p $port -o ListenAddress=127.0.0.1 -o "HostKey=$own/host" \
        -o "AuthorizedKeysFile=$own/user.pub" $set_of 2> "$own/said" &
    server=$!
    client="ssh -F /dev/null -i $own/user -p $port -o IdentitiesOnly=yes -o IdentityAgent=none"
    client="$client -o UserKnownHostsFile=/dev/null -o GlobalKnownHostsFile=/dev/null -o LogLevel=ERROR"
    client="$client -o StrictHostKeyChecking=no -o BatchMode=yes -o Compression=no"
    "$PROBE" say said name=server text=OpenSSH
elif [ -b /dev/pbd ] && command -v dropbear dbclient dropbearkey > /dev/null; then
    # It takes the keys of the user's own folder alone: that of a virtual board, which is gone then.
    mkdir -p "$HOME/.ssh"
    dropbearkey -t ecdsa -f "$own/host" > /dev/null 2>&1
    dropbearkey -t ecdsa -f "$own/user" 2> /dev/null | grep '^ecdsa' > "$HOME/.ssh/authorized_keys"
    dropbear -F -E -r "$own/host" -p 127.0.0.1:$port -P "$own/pid" 2> "$own/said" &
    server=$!
    client="dbclient -y -y -i $own/user -p $port"
    "$PROBE" say said name=server text=dropbear
else
    refuse "the target has no OpenSSH (sshd, ssh and ssh-keygen)"
    exit 0
fi
copy() {
    rm -f "$own/times"
    "$PROBE" time "$own/times" "ssh-$where-$1" "$repeats" sh -c \
        "exec $client -c $2 $(id -un)@127.0.0.1 'exec $cat > $file' < $3 2> $own/wrong" > /dev/null
    cat "$own/times"
}
: > "$own/nothing"
head -c "$size" /dev/urandom > "$own/data"
tries=0
until $client -c "$1" "$(id -un)@127.0.0.1" true < "$own/nothing" 2> "$own/wrong"; do
    tries=$((tries + 1))
    if [ $tries -ge 20 ] || ! kill -0 "$server"; then
        refuse "$(cat "$own/said" "$own/wrong" | head -c 300 | tr '\n' ' ')"
        exit 0
    fi
    sleep 0.3
done
copy login "$1" "$own/nothing"
for cipher; do
    copy "$cipher" "$cipher" "$own/data"
    [ "$(wc -c < "$file")" -eq "$size" ] || refuse "$cipher: $(head -c 300 "$own/wrong" | tr '\n' ' ')"
done
