# SPDX-License-Identifier: BSD-3-Clause
"""The RT-Linux guest on QEMU."""
