# SPDX-License-Identifier: Apache-2.0
"""Kernel, root file system, flash layout, and the build cache."""
