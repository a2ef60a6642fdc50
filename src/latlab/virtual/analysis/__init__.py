# SPDX-License-Identifier: BSD-3-Clause
"""Costs of a platform out of published spans."""
