# SPDX-License-Identifier: Apache-2.0
"""The least time that each part of a boot needs, by the board's own figures."""
