# SPDX-License-Identifier: Apache-2.0
"""Half of Hypothesis's usual examples: unit tests take seconds, and are run every day."""

from hypothesis import settings

settings.register_profile("unit", settings.get_profile("perfboard"), max_examples=50)
settings.load_profile("unit")
