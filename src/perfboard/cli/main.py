# SPDX-License-Identifier: Apache-2.0
"""The entry point of the `perfboard` script.

It takes over ^C as its first act: the imports take a while, and a traceback says nothing to the
user who gives a command up. So everything more is imported where it is used.
"""

import atexit
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_INTERRUPTED = 130


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
    from perfboard.cli.command import main
    from perfboard.cli.standard_streams import standard_streams
    from perfboard.host.search import find_system_tools

    find_system_tools()
    with standard_streams():
        code = main()
        # The work is done: nothing is left to tidy up.
        _leave_on_interrupt()
    # Python's own end puts the default back, by which a command that is done would be killed.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


if __name__ == "__main__":
    run()
