# SPDX-License-Identifier: Apache-2.0
"""Run workloads on a live target, or on a virtual board."""
