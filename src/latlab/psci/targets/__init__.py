# SPDX-License-Identifier: BSD-3-Clause
"""A simulated board, and the console of a real one."""
