# SPDX-License-Identifier: BSD-3-Clause
"""Runs of power transitions, on our firmware and on that of others."""
