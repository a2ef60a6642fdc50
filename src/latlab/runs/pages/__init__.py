# SPDX-License-Identifier: BSD-3-Clause
"""Lists of runs, and traces of a run for other programs."""
