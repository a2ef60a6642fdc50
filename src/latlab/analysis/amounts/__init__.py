# SPDX-License-Identifier: BSD-3-Clause
"""Amounts that benchmarks and noise meters count: what may be followed and compared of them."""
