# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of arrays and of a run's samples."""
