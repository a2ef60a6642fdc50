# SPDX-License-Identifier: BSD-3-Clause
"""Runs of attacks as tables and pages."""
