# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of the psa and attack campaigns print."""
