# SPDX-License-Identifier: BSD-3-Clause
"""Processes, QEMU and Linux machines, for every campaign."""
