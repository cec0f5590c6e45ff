# SPDX-License-Identifier: Apache-2.0
"""The clocks of several sources joined to one timeline."""
