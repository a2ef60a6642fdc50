# SPDX-License-Identifier: BSD-3-Clause
"""Calls as tables and pages."""
