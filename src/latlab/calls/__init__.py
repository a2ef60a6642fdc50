# SPDX-License-Identifier: BSD-3-Clause
"""World switches of any firmware: watched, counted by function, swept."""
