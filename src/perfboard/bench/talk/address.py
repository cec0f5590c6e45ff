# SPDX-License-Identifier: Apache-2.0
"""The address at which a target is asked, and whether it may be."""

import ipaddress
import socket

from perfboard.analysis.packets.counters import ADDRESSES, own_addresses
from perfboard.model.errors import UsageError
from perfboard.targets.base import Target
from perfboard.targets.pipe import local, ssh


def address_of(target: str, given: str, mine: bool) -> str:
    """The IPv4 address `given`, or that of ssh's host or of this machine.

    Raises UsageError if it is none, or, unless the network is the user's (`mine`), if it is
    neither private nor loopback.
    """
    where = f"--address {given}" if given else f"--target {target}"
    host = given
    if not host:
        if target.startswith(f"{ssh.SCHEME}:"):
            host = ssh.host_of(target)
        elif target == local.SCHEME:
            host = "127.0.0.1"
        else:
            raise UsageError(
                f"{where}: give the address that senders reach it at, as in --address 192.168.1.7"
            )
    try:
        found = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_DGRAM)[0][4][0]
        address = ipaddress.IPv4Address(found)
    except (OSError, ValueError):
        raise UsageError(f"{where}: {host} has no IPv4 address; give one with --address") from None
    if address.is_multicast or address.is_unspecified or str(address) == "255.255.255.255":
        raise UsageError(f"{where}: {address} is not the address of one machine")
    if not (address.is_private or address.is_loopback or mine):
        raise UsageError(
            f"{where}: {address} is neither private nor loopback, and this study floods it. If "
            "the network between is yours, give --this-network-is-mine"
        )
    return str(address)


def check_own(target: Target, address: str) -> None:
    """Raises UsageError where the address is another machine's."""
    own = own_addresses(target.shell.run(ADDRESSES).output)
    if own and address not in own and not ipaddress.IPv4Address(address).is_loopback:
        raise UsageError(
            f"{address} is not an address of {target.name}, which has {', '.join(sorted(own))}; "
            "packets are sent to the target alone: give one of these with --address"
        )
