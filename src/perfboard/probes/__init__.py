# SPDX-License-Identifier: Apache-2.0
"""Host side of the probes: which there are, how to build, push, run and read them."""
