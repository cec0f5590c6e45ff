# SPDX-License-Identifier: Apache-2.0
"""systemd's own records of a boot."""
