# SPDX-License-Identifier: Apache-2.0
"""The energy of a boot and its phases."""
