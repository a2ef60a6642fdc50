# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of the psci campaign print, and device trees' idle states."""
