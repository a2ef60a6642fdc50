# SPDX-License-Identifier: BSD-3-Clause
"""The verbs run rt, run steal, run rt-power and guest."""
