# SPDX-License-Identifier: BSD-3-Clause
"""The life of a run from its first second, and how a stored run is read again."""
