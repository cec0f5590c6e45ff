# SPDX-License-Identifier: Apache-2.0
"""Records of older schemas, brought to today's when they are read."""
