# SPDX-License-Identifier: BSD-3-Clause
"""Runs of benchmarks and noise meters as tables and pages."""
