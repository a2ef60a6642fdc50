# SPDX-License-Identifier: BSD-3-Clause
"""Simulations of boards, and the exploration of their interleavings."""
