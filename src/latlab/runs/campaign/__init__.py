# SPDX-License-Identifier: BSD-3-Clause
"""Files from elsewhere as runs; time lines of runs; what may go from a store."""
