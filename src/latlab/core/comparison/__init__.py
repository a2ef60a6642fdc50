# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on two runs of any kind: conditions, coverage, rows, findings and their sentences."""
