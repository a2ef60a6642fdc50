# SPDX-License-Identifier: BSD-3-Clause
"""Bytes to the model: formats that several products read, and the catalog."""
