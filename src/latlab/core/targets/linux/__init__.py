# SPDX-License-Identifier: BSD-3-Clause
"""Linux machines: here, over SSH and through labgrid."""
