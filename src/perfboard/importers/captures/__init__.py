# SPDX-License-Identifier: Apache-2.0
"""Captures of logic analysers."""
