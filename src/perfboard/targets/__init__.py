# SPDX-License-Identifier: Apache-2.0
"""One file a kind of target."""
