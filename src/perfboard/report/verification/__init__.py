# SPDX-License-Identifier: Apache-2.0
"""A virtual board and the published figures of the real one: words, text and page."""
