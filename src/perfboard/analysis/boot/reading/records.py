# SPDX-License-Identifier: Apache-2.0
"""The form of a record of the kernel's log as it is printed on a console."""

import re

# The kernel pads the seconds to five characters, which tells its records from
# most other text in brackets. The caller ("[    T1]") is there with PRINTK_CALLER. Amlogic has
# the processor within the brackets and a letter after them, Huawei a unit, LG the time of day.
RECORD = re.compile(
    r"\[(?=[ 0-9]{5}) {0,4}([0-9]{1,12})\.([0-9]{6})(?:@[0-9]{1,2}|s| / [0-9 :.-]{8,32})?\]"
    r"(?:\[ {0,6}[TC][0-9]{1,10}\])? ?"
)
"""A record's stamp: groups 1 and 2 are the seconds and microseconds."""

_LEVEL = re.compile(r"<[0-9]{1,3}>\Z")
# Vendors print more between stamp and message: the level, the processor, the task.
_PREFIX = re.compile(
    r"(?:"
    r" ?<[0-7]> ?"
    r"| ?[.-]?\([0-9]{1,2}\)\[[0-9]{1,7}:[^\]]{1,32}\]"  # MediaTek: .(0)[1:swapper/0]
    r"|\[name:[^\]]{1,48}&\]"  # and its module
    r"| ?[A-Z]?\[ ?[0-9]{1,2}: *[^\]:]{1,24}: *[0-9]{1,7}\] ?"  # Samsung: I[0: swapper/0:    1]
    r"|\[pid:[0-9]{1,7},cpu[0-9]{1,2},[^\]]{1,24}\] ?"  # Huawei
    r"| ?\[?c[0-9]\]? {1,8}(?:[0-9]{1,7} )?"  # Unisoc: c0      1
    r"| ?\[ {0,6}[TC][0-9]{1,10}\] ?"
    r")+"
)


def without_level(text: str) -> str:
    """The text before a record, without that record's own level, as in "<6>"."""
    return _LEVEL.sub("", text)


def message(text: str) -> str:
    """A record's message, without the words of a vendor's kernel before it."""
    match = _PREFIX.match(text) if text[:1] in _BEGIN_PREFIX else None
    return text[match.end() :] if match else text


_BEGIN_PREFIX = frozenset(" <.-([ABCDEFGHIJKLMNOPQRSTUVWXYZc")
