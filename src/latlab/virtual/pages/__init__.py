# SPDX-License-Identifier: BSD-3-Clause
"""Fits, predictions and sweeps as tables and charts."""
