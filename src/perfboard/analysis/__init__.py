# SPDX-License-Identifier: Apache-2.0
"""Pure functions over the model: no I/O, no clock, no subprocess."""
