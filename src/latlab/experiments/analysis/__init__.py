# SPDX-License-Identifier: BSD-3-Clause
"""The linear model of an experiment, its effects and their power."""
