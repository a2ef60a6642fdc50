# SPDX-License-Identifier: BSD-3-Clause
"""The verbs watch, run sbi and run smc."""
