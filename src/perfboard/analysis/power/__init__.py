# SPDX-License-Identifier: Apache-2.0
"""Power meters that the kernel shows as files, and the energy between two of their readings."""
