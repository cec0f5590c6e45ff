# SPDX-License-Identifier: Apache-2.0
"""The commands: parse, call, print."""
