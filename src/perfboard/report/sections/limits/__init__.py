# SPDX-License-Identifier: Apache-2.0
"""How far a boot is from its limit."""
