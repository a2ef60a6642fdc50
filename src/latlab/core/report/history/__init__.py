# SPDX-License-Identifier: BSD-3-Clause
"""Figures over many runs as tables, charts and a page."""
