# SPDX-License-Identifier: Apache-2.0
"""Foreign files made into runs: one file a format."""
