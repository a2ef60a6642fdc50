# SPDX-License-Identifier: BSD-3-Clause
"""Tables of crossings and calls."""
