# SPDX-License-Identifier: BSD-3-Clause
"""Designed experiments: the order of their runs, what each factor does, and how many runs it takes to tell."""
