# SPDX-License-Identifier: Apache-2.0
"""Files and folders of this machine."""
