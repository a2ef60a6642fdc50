# SPDX-License-Identifier: BSD-3-Clause
"""Runs of spans as tables, charts and pages."""
