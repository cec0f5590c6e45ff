# SPDX-License-Identifier: Apache-2.0
"""The entry point of the `perfboard` script.

It takes over ^C as its first act: the imports take a while, and a traceback says nothing to the
user who gives a command up. So everything more is imported where it is used.
"""

import atexit
import os
import signal
import sys
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_LACKS, _INTERRUPTED = 3, 130
_TOO_LITTLE = (
    b"perfboard: too little memory, or too few open files, for Python's own libraries; raise the "
    b"limit (ulimit -v, ulimit -n)\n"
)


def _leave(signal_number: int, frame: object) -> "NoReturn":
    try:
        os.write(2, b"perfboard: interrupted\n")
    finally:
        os._exit(_INTERRUPTED)


def _leave_on_interrupt() -> None:
    # One that is ignored, as under nohup, stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


_leave_on_interrupt()


def run() -> "NoReturn":
    """Runs one command, and ends with its exit code."""
    try:
        from perfboard.host.programs.environment import set_up_environment

        set_up_environment()
        # A library's warning tells a user nothing, but for one who asks for it.
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
        from perfboard.cli.command import main
        from perfboard.cli.standard_streams import standard_streams

        with standard_streams():
            code = main()
            # The work is done: nothing is left to tidy up.
            _leave_on_interrupt()
    except (MemoryError, OSError):
        # Not even the words for it could be had.
        os.write(2, _TOO_LITTLE)
        os._exit(_LACKS)
    # Python's own end puts the default back, by which a command that is done would be killed.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


if __name__ == "__main__":
    run()
