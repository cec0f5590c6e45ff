# SPDX-License-Identifier: Apache-2.0
"""The HTML report and its charts."""
