# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as tables and pages."""
