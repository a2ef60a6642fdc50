# SPDX-License-Identifier: BSD-3-Clause
"""Metrics of other tools' benchmarks and noise meters."""
