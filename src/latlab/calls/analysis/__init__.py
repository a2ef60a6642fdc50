# SPDX-License-Identifier: BSD-3-Clause
"""From world switches to calls, functions, classes and masked stretches."""
