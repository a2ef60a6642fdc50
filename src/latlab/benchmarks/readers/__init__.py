# SPDX-License-Identifier: BSD-3-Clause
"""Files of benchmarks and noise meters, whose figures are no latencies of single events."""
