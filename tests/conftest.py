# SPDX-License-Identifier: Apache-2.0
"""No test measures time, so a busy machine fails none: Hypothesis sets no deadline."""

import signal

import pytest
from hypothesis import settings

from .support import costs

# A suite that a shell runs in the background ignores ^C, and so would what it tests.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("perfboard", deadline=None)
settings.load_profile("perfboard")


def pytest_configure(config: pytest.Config) -> None:
    # The hooks of this file itself are not called for fixtures of the session.
    config.pluginmanager.register(costs)
