# SPDX-License-Identifier: Apache-2.0
"""The names that a user gives a run: the commit, or the branch, that it is of."""

TAG_NAME = r"[a-z][a-z0-9_-]{0,39}"
# It may name a run on a command line, where "~" begins a number.
TAG_VALUE = r"[^~\s\x00-\x1f\x7f]{1,200}"
