# SPDX-License-Identifier: BSD-3-Clause
"""Amounts followed and compared."""
