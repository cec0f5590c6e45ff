# SPDX-License-Identifier: Apache-2.0
"""The command line: options are read, and a command is called."""
