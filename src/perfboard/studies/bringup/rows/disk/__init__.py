# SPDX-License-Identifier: Apache-2.0
"""The rows of a board's disk."""
