# SPDX-License-Identifier: BSD-3-Clause
"""The stream that the probe writes, docs/reference/probe-format.md: bytes to records, pure."""
