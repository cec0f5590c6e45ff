# SPDX-License-Identifier: Apache-2.0
"""No test measures time, so a busy machine fails none: Hypothesis sets no deadline."""

from hypothesis import settings

settings.register_profile("perfboard", deadline=None)
settings.load_profile("perfboard")
