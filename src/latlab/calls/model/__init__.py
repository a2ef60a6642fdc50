# SPDX-License-Identifier: BSD-3-Clause
"""World switches, calls and symbols as plain data."""
