# SPDX-License-Identifier: BSD-3-Clause
"""Where runs are kept, and what a name on the command line means."""
