# SPDX-License-Identifier: BSD-3-Clause
"""Runs of any kind: imported, listed, shown, exported, compared, gated."""
