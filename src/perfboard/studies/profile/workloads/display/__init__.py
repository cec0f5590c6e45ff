# SPDX-License-Identifier: Apache-2.0
"""What programs do on a display that nobody sees."""
