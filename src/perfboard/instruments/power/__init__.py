# SPDX-License-Identifier: Apache-2.0
"""Power meters on this machine: those that the kernel shows, and a file that a program writes."""
