# SPDX-License-Identifier: Apache-2.0
"""Run folders, and the SQLite index over them."""
