# SPDX-License-Identifier: Apache-2.0
"""The cache of built things, and the locks that its users share."""
