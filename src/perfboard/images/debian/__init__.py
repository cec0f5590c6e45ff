# SPDX-License-Identifier: Apache-2.0
"""Debian as it boots by itself: its packages, configured once by the board's own processor."""
