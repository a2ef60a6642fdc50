# SPDX-License-Identifier: BSD-3-Clause
"""The verbs for runs of any kind."""
