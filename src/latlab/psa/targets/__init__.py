# SPDX-License-Identifier: BSD-3-Clause
"""Secure partition managers, ours and others', as targets."""
