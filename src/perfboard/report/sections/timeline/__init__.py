# SPDX-License-Identifier: Apache-2.0
"""The clocks of one boot, joined."""
