# SPDX-License-Identifier: Apache-2.0
"""Boards that are shared by labgrid: a program in labgrid's own environment speaks with it."""
