# SPDX-License-Identifier: BSD-3-Clause
"""Runs of watch, sbi and smc; what a file of firmware is."""
