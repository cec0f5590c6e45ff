# SPDX-License-Identifier: Apache-2.0
"""The performance guide of a board: many measures, area by area, in one run."""
