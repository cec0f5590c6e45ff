# SPDX-License-Identifier: Apache-2.0
"""Logic analysers on this machine."""
