# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of runs, one row each."""
