# SPDX-License-Identifier: BSD-3-Clause
"""The verbs run psa and run attack."""
