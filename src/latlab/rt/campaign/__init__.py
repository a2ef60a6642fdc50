# SPDX-License-Identifier: BSD-3-Clause
"""Runs of wake-ups, steal time and power cycles."""
