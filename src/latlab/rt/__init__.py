# SPDX-License-Identifier: BSD-3-Clause
"""Wake-up latency of Linux: measured, explained by cause, with steal time and power cycles."""
