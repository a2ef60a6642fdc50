# SPDX-License-Identifier: BSD-3-Clause
"""Benchmark metrics as tables and pages."""
