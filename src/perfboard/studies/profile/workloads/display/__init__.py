# SPDX-License-Identifier: Apache-2.0
"""Workloads of programs on a display that nobody sees."""
