# SPDX-License-Identifier: Apache-2.0
"""Saved logs of a console or of the kernel."""
