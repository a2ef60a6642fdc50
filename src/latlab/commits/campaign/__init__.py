# SPDX-License-Identifier: BSD-3-Clause
"""Commits measured, and searched for a change."""
