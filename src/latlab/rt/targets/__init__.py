# SPDX-License-Identifier: BSD-3-Clause
"""The jobs that run on a Linux machine."""
