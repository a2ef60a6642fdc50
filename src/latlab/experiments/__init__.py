# SPDX-License-Identifier: BSD-3-Clause
"""Designed experiments: factors, levels, effects."""
