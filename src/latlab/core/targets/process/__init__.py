# SPDX-License-Identifier: BSD-3-Clause
"""Processes that do not outlive latlab."""
