# SPDX-License-Identifier: Apache-2.0
"""The performance guide as a document: its rows and title page, in Markdown, reST and CSV."""
