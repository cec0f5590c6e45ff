# SPDX-License-Identifier: Apache-2.0
"""Board files and their loader."""
