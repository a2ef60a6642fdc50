# SPDX-License-Identifier: BSD-3-Clause
"""The commits of a firmware: built, measured once each, bisected."""
