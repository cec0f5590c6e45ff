# SPDX-License-Identifier: Apache-2.0
"""The process that reads a Joulescope's file by pyjls: `python -m ... FILE [INPUT...]`.

It prints a line of JSON, then 32-bit floats: the mean power in W and the highest current in A of as
many samples as the line says, and the mean level of each input named. A quantity that the file
lacks is not a number.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

# As many are printed; a longer trace is printed by means of several samples.
_MOST = 4_000_000
_PORTION = 1 << 20
_WANTED = ("current", "voltage", "power")


def main(path: str, inputs: Sequence[str]) -> None:
    """Print the samples of the file. Exits with words for a file without current and power."""
    from pyjls import Reader, SignalType  # may be absent, and is looked for by who runs this

    with Reader(path) as reader:
        signals: dict[int, dict[str, Any]] = {}
        for signal in reader.signals.values():
            wanted = (*_WANTED, *inputs)
            if signal.signal_type == SignalType.FSR and signal.name in wanted and signal.length:
                signals.setdefault(signal.source_id, {})[signal.name] = signal
        usable = {at: found for at, found in signals.items() if found.keys() & {"current", "power"}}
        if not usable:
            sys.exit("it has neither a current nor a power")
        source = min(usable)
        found = usable[source]
        if lacking := [name for name in inputs if name not in found]:
            names = [each.name for each in reader.signals.values() if each.source_id == source]
            sys.exit(f"it has no signal {', '.join(lacking)}; its signals are {', '.join(names)}")
        rates = {signal.sample_rate for signal in found.values()}
        if len(rates) > 1:
            sys.exit("its signals differ in their sampling rates")
        start = max(signal.sample_id_offset for signal in found.values())
        end = min(signal.sample_id_offset + signal.length for signal in found.values())
        joined = max(1, -(-(end - start) // _MOST))
        count = max(0, end - start) // joined
        if not count:
            sys.exit("its signals have no time in common")
        head = {
            "source": reader.sources[source].name,
            "others": len(usable) - 1,
            "rate": rates.pop(),
            "joined": joined,
            "count": count,
            "volts": "voltage" in found,
            "watts": "power" in found,
            "amperes": "current" in found,
        }
        sys.stdout.buffer.write(json.dumps(head).encode() + b"\n")
        for data in _portions(reader, found, start, joined, count, inputs):
            sys.stdout.buffer.write(data.astype("<f4").tobytes())


def _portions(
    reader: Any,
    found: Mapping[str, Any],
    start: int,
    joined: int,
    count: int,
    inputs: Sequence[str],
) -> "Iterator[np.ndarray]":
    import numpy as np

    rows = max(1, _PORTION // joined)
    for first in range(0, count, rows):
        number = min(rows, count - first)
        at = start + first * joined
        values = {
            name: _samples(reader, signal, at - signal.sample_id_offset, number * joined).reshape(
                number, joined
            )
            for name, signal in found.items()
        }
        amperes = values.get("current", np.full((number, 1), np.nan))
        watts = values.get("power", amperes * values.get("voltage", np.nan))
        levels = (values[name].mean(axis=1) for name in inputs)
        yield np.stack([watts.mean(axis=1), amperes.max(axis=1), *levels], axis=1)


def _samples(reader: Any, signal: Any, at: int, number: int) -> "np.ndarray":
    import numpy as np

    data = np.asarray(reader.fsr(signal.signal_id, at, number))
    if len(data) < number:
        # A logic input has a bit a sample.
        data = np.unpackbits(data, bitorder="little")[:number]
    return data.astype(np.float64)


if __name__ == "__main__":
    # The library prints places in its own source; this says what is wrong with the file.
    words = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        main(sys.argv[1], sys.argv[2:])
    except SystemExit as refusal:
        os.write(words, str(refusal).encode())
        sys.exit(1)
    except Exception as error:
        os.write(words, f"it is damaged or cut off ({type(error).__name__})".encode())
        sys.exit(1)
