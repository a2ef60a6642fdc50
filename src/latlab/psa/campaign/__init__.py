# SPDX-License-Identifier: BSD-3-Clause
"""Runs of PSA calls and of attacks."""
