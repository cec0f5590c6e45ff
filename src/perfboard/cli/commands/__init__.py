# SPDX-License-Identifier: Apache-2.0
"""The commands: each takes the options that were read, calls, and prints."""
