# SPDX-License-Identifier: BSD-3-Clause
"""From what was seen of an attack to what came of it."""
