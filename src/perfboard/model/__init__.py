# SPDX-License-Identifier: Apache-2.0
"""The nouns of the design: boards, marks, boots, metrics, runs; units; errors."""
