# SPDX-License-Identifier: Apache-2.0
"""No test measures time, so a busy machine fails none: Hypothesis sets no deadline."""

from hypothesis import settings

from .support.costs import (  # noqa: F401 - pytest finds its hooks here
    pytest_fixture_setup,
    pytest_runtest_call,
    pytest_runtest_logreport,
    pytest_sessionfinish,
    pytest_terminal_summary,
    pytest_testnodedown,
)

settings.register_profile("perfboard", deadline=None)
settings.load_profile("perfboard")
