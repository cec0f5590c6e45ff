# SPDX-License-Identifier: Apache-2.0
"""Perfboard: a performance lab for embedded Linux."""
