# SPDX-License-Identifier: Apache-2.0
"""Bootloaders' own records of their time."""
