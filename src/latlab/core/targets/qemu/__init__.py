# SPDX-License-Identifier: BSD-3-Clause
"""QEMU, its command line, images and the probe."""
