# SPDX-License-Identifier: BSD-3-Clause
"""PSA calls of a secure partition manager: cost, interrupt latency, attacks."""
