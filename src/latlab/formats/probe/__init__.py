# SPDX-License-Identifier: BSD-3-Clause
"""The stream that the probe writes, docs/probe-format.md: bytes to records, pure."""
