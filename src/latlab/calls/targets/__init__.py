# SPDX-License-Identifier: BSD-3-Clause
"""Firmware of others as a target."""
