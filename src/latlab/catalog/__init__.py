# SPDX-License-Identifier: BSD-3-Clause
"""Data that the package carries; the readers of it are in `core.readers` and in the products."""
