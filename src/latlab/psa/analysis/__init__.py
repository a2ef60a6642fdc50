# SPDX-License-Identifier: BSD-3-Clause
"""Costs, windows and sweeps of PSA calls; outcomes of attacks."""
