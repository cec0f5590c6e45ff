# SPDX-License-Identifier: Apache-2.0
"""The programs of this machine that Perfboard runs."""
