# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of latlab's runs, one row each."""
