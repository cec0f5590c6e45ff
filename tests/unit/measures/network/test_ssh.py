# SPDX-License-Identifier: Apache-2.0
"""A file by ssh: what it gives of what its board printed."""

import re
from dataclasses import replace

from perfboard.measures.reading import example_time
from perfboard.model.rows import row_line
from tests.support.measures import LIVE, job_of, read

SSH = (
    row_line("said", name="server", text="OpenSSH")
    + example_time("ssh-tmpfs-login", 500_000_000, 1000)
    + example_time("ssh-tmpfs-aes128-ctr", 2_500_000_000, 1000)
    + example_time("ssh-tmpfs-chacha20-poly1305@openssh.com", 400_000_000, 1000)
    + row_line("refused", what="ecryptfs", why="the kernel has no eCryptfs: No such device")
    + row_line("crypt", way="fscrypt", driver="xts(ecb(aes))")
    + example_time("ssh-fscrypt-login", 500_000_000, 1000)
    + example_time("ssh-fscrypt-aes128-ctr", 4_500_000_000, 1000)
    + example_time("ssh-fscrypt-aes128-ctr", 4_500_000_000, 1000, status=1)
    + row_line("refused", what="ssh", why="aes128-ctr: No space left on device")
)


def test_a_file_by_ssh_is_timed_beyond_the_login() -> None:
    answer = read("network.ssh", SSH)
    # 2 MiB in 2 s and in 4; what took less than the login has no rate, nor has what failed.
    assert [(f.title, f.metric.samples) for f in answer.figures] == [
        ("to tmpfs, aes128-ctr", (2 * 1048576 / 2,)),
        ("to fscrypt, AES-XTS, aes128-ctr", (2 * 1048576 / 4,)),
        ("a login", (0.5,)),
    ]
    assert answer.short == "1.049 MB/s by ssh to tmpfs, aes128-ctr"
    assert "The server was OpenSSH" in answer.why
    assert answer.notes == (
        "Not all of ssh was measured: the kernel has no eCryptfs: No such device; "
        "aes128-ctr: No space left on device.",
    )


def test_the_encrypted_disk_has_room_for_the_file_of_ssh() -> None:
    job = job_of("network.ssh", {}, replace(LIVE, ram=24 << 30))
    (disk,) = re.findall(r'"\$source" covered (\d+) run', job.script)
    assert job.disk + (32 << 20) <= int(disk)
