# SPDX-License-Identifier: BSD-3-Clause
"""A history of commits and a bisection as pages."""
