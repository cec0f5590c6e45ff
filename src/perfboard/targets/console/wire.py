# SPDX-License-Identifier: Apache-2.0
"""The protocol between a console shell and Perfboard, as pure functions.

A request is some lines of printable characters. The first ones bring pieces of a text;
the last one is a call of a shell function of ours with a number, an operation, the rest
of the text and the checksum of all. The function refuses what arrived damaged, does
what is new, and answers what it has done before from memory; an answer carries a
checksum too.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

# A terminal takes longer lines than this makes, but not every line editor does.
LONGEST_TEXT = 400
# Characters that no shell and no line editor takes for more than themselves: a damaged
# line in which the quotes are lost still says nothing that a shell would do.
_SPECIAL = re.compile(rb"[^A-Za-z0-9_./=+:,-]")
# The last answers in the output that are looked at.
_ANSWERS_TRIED = 8
_POLYNOMIAL = 0x04C11DB7
# Ends what `receive` writes to a file, by a line that says nothing to a shell. Some sed
# reads a line ahead, so it comes twice.
END = b":\n:\n"
# Bytes of a part of an answer: few enough to come whole between two messages of a kernel.
PART = 500
GIVEN_UP = b"\n" + END + b"stty echo\n"

Operation = Literal["run", "start", "receive"]


def cksum(data: bytes) -> int:
    """The checksum of POSIX's `cksum`: CRC-32, high bit first, over the data and its length."""
    length = len(data)
    data += length.to_bytes((length.bit_length() + 7) // 8, "little")
    value = 0
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1) ^ (_POLYNOMIAL if value >> 31 else 0)
            value &= 0xFFFFFFFF
    return value ^ 0xFFFFFFFF


# Programs of which a target has at least one, and how the same is counted here.
SUMS: dict[str, Callable[[bytes], str]] = {
    "md5sum": lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest(),
    "cksum": lambda data: str(cksum(data)),
}


def encode(data: bytes) -> str:
    """`data` as plain characters, which printf's %b makes into `data` again."""
    return _SPECIAL.sub(lambda match: f"\\0{match[0][0]:03o}".encode(), data).decode()


def split(text: str) -> list[str]:
    """An encoded text in pieces that fit into a line each, no escape torn; at least one."""
    pieces = [""]
    for atom in re.findall(r"\\0[0-7]{3}|[^\\]", text):
        if len(pieces[-1]) + len(atom) > LONGEST_TEXT:
            pieces.append("")
        pieces[-1] += atom
    return pieces


def functions(sum_program: str, tag: str) -> tuple[str, ...]:
    """The shell functions, each on one line and without a single quote.

    _n is the number of the last request, _s its status, _o its output, and _a the checksum
    of the answer that it ended well and said nothing: sent along, since programs are slow
    to start on a small board. _t gathers the text. _l writes the lines that follow it to
    a file, up to END: read by a program and without an echo, they take a small board a part
    of the time that they would take in the shell's line editor. _q says a part of _o again.
    """
    texts = (
        '_k(){ set -- $(printf %s "$1"|SUM);_c=$1;}',
        '_w(){ [ "$_s$_o" = 0 ]&&_c=$_a||_k "$_n $_s $_o";'
        'printf "\\n<TAG:%s %s %s\\n%s\\n>TAG:%s\\n" $_n $_s $_c "$_o" $_n;}',
        '_e(){ eval "$(printf %b "$1")";}',
        '_g(){ _t=$_t$1;echo "<TAG+";}',
        '_r(){ _o=$(_e "$1" 2>&1 </dev/null);_s=$?;}',
        '_q(){ _b=$(printf %s "$_o"|dd bs=1 skip=$1 count=PART 2>/dev/null;echo .);_b=${_b%.};'
        '_k "$_n/$1 $_s $_b";'
        'printf "\\n<TAG:%s %s %s\\n%s\\n>TAG:%s\\n" $_n/$1 $_s $_c "$_b" $_n/$1;}',
        '_y(){ for _c in 1 2 3;do echo "<TAG:$_n go";done;}',
        # Nothing but these marks tells that a program has begun or ended, and kernel messages may
        # tear some. A signal that ends the program must not end what tidies up after it.
        '_x(){ _y;_y;_y;(trap : INT;_e "$1");_s=$?;printf "\\n>TAG:%s\\n" $_n $_n $_n;}',
        '_l(){ _f=$(printf %b "$1");stty -echo 2>/dev/null;_y;'
        '_o=$({ sed -n "/^:\\$/q;p" >"$_f";} 2>&1);_s=$?;stty echo 2>/dev/null;'
        '[ "$_s" != 0 ]||_o=$(SUM <"$_f" 2>&1);}',
        '_p(){ [ "$1" = "$_n" ]||{ _t=$_t$3;_k "$1 $2 $_t $5";if [ "$_c" = "$4" ];then '
        '_n=$1 _a=$5 _s=0 _o=;_$2 "$_t";_t=;else _t=;'
        'printf "\\n<TAG:%s ? %s\\n" "$1" "$_c";return;fi;};_w;}',
    )
    return tuple(
        text.replace("SUM", sum_program).replace("TAG", tag).replace("PART", str(PART))
        for text in texts
    )


_LETTERS: dict[Operation, str] = {
    "run": "r",
    "start": "x",
    "receive": "l",
}


@dataclass(frozen=True)
class ConsoleWire:
    """How both sides count checksums, and the tag that marks answers."""

    sum_program: str
    tag: str

    def request(self, number: int, operation: Operation, pieces: Sequence[str]) -> list[bytes]:
        """The lines for an encoded text in pieces, at least one."""
        letter = _LETTERS[operation]
        count = SUMS[self.sum_program]
        answer = count(f"{number} 0 ".encode())
        checksum = count(f"{number} {letter} {''.join(pieces)} {answer}".encode())
        gather = [f"_g '{piece}'\n".encode() for piece in pieces[:-1]]
        return [*gather, f"_p {number} {letter} '{pieces[-1]}' {checksum} {answer}\n".encode()]

    def gathered(self, output: bytes) -> bool:
        """Whether the shell has taken a line, damaged or not, that brings a piece."""
        return f"<{self.tag}+".encode() in output

    def answer(
        self, number: int, output: bytes, begin: int | None = None
    ) -> tuple[int, bytes] | None:
        """Status and output of request `number`, if `output` has its answer undamaged.

        With `begin` it is the part of that answer from this byte on.
        """
        tag = self.tag.encode()
        name = _name(number, begin).encode()
        head = re.compile(rb"<%s:%s (\d{1,3}) ([!-~]{1,80})\n" % (tag, name))
        text = output.replace(b"\r\n", b"\n")
        for match in list(head.finditer(text))[-_ANSWERS_TRIED:]:
            body, ended, _ = text[match.end() :].partition(b"\n>%s:%s\n" % (tag, name))
            whole = b"%s %s %s" % (name, match[1], body)
            if ended and SUMS[self.sum_program](whole).encode() == match[2]:
                return int(match[1]), body
        return None

    def refusal(self, number: int, output: bytes) -> str | None:
        """The checksum that the target found, where it refused request `number` as damaged."""
        match = re.search(rf"<{self.tag}:{number} \? ([!-~]*)\r*\n".encode(), output)
        return None if match is None else match[1].decode()

    def began(self, number: int, output: bytes) -> bool:
        """Whether the answer to request `number` comes."""
        return re.search(rf"<{self.tag}:{number} \d".encode(), output) is not None

    def ended(self, number: int, output: bytes, begin: int | None = None) -> bool:
        """Whether what `answer` looks for has come to its end, damaged or not."""
        return re.search(rf"\n>{self.tag}:{_name(number, begin)}\r*\n".encode(), output) is not None


def _name(number: int, begin: int | None) -> str:
    return f"{number}" if begin is None else f"{number}/{begin}"


def ask_part(begin: int, attempt: int) -> bytes:
    """The line that has the part of an answer repeated that begins there."""
    return f"_q {begin} #{chr(39) if attempt % 2 else chr(34)}\n".encode()


def ask_again(number: int, attempt: int) -> bytes:
    """The line that has an answer repeated. It also ends a quote that was left open."""
    return f"_p {number} #{chr(39) if attempt % 2 else chr(34)}\n".encode()
