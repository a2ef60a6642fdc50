# SPDX-License-Identifier: BSD-3-Clause
"""The verbs watch, import-trace and run calls."""
