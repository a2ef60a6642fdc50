# SPDX-License-Identifier: BSD-3-Clause
"""latlab: a latency laboratory for trusted firmware and real-time Linux."""
