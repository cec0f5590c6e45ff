# SPDX-License-Identifier: Apache-2.0
"""Readers of foreign formats: pure functions over streams, which a live capture uses too."""
