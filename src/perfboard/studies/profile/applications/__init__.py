# SPDX-License-Identifier: Apache-2.0
"""The programs that are measured on a display: how each is had, seeded, and driven."""
