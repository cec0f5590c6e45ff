# SPDX-License-Identifier: Apache-2.0
"""Results of other benchmark programs: each makes metrics of them."""
